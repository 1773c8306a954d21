print("CommuteSimulator")
