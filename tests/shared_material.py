"""Where material that is not part of the project lies: $PAIMON_SHARED, else a folder `shared` beside the project."""
import os
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def find(*parts):
    """The path of something shared, or None."""
    for root in (os.environ.get("PAIMON_SHARED"), os.path.join(os.path.dirname(PROJECT), "shared")):
        path = os.path.join(root, *parts) if root else None
        if path and os.path.exists(path):
            return path
    return None


def skip(why):
    """Say aloud that nothing was tested, and end well."""
    print("SKIPPED:", why)
    sys.exit(0)
