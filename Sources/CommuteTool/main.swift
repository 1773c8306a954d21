print("CommuteTool")
