"""Records what two devices in a browser ask of the core, as golden vectors."""
from pathlib import Path

HEADER = (
    "# Calls of two devices in a browser, as they were recorded; what comes out of each, by its"
    " hash.\n")


def record(scene, path):
    browser = scene.serve().browser()
    script = (Path(__file__).parent / "record.js").read_text()
    try:
        recorded = browser.run(script)
    finally:
        scene.end()
    lines = [f"call\t{call}\t{digest}\n" for call, digest in recorded]
    path.write_text(HEADER + "".join(lines))
    print(f"recorded {len(lines)} calls in {path}")
