"""The Python judges (pypaimon, which brings pyarrow), in a virtual environment of their own under build/."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import shared_material

PACKAGES = ["pypaimon==2.1.0"]


def run_inside(venv):
    """Come back when this process runs with the judges; else make the environment and start over in it, or skip aloud."""
    try:
        import pyarrow  # noqa: F401
        import pypaimon  # noqa: F401
        return
    except ImportError:
        pass
    python = os.path.join(venv, "bin", "python")
    if os.environ.get("PAIMON_JUDGES_TRIED"):
        shared_material.skip("pypaimon and pyarrow cannot be imported in " + venv)
    if not os.path.exists(os.path.join(venv, "complete")):
        lock = open(venv + ".lock", "w")
        import fcntl
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(os.path.join(venv, "complete")):
            made = subprocess.run([sys.executable, "-m", "venv", "--clear", venv], capture_output=True, text=True)
            if made.returncode == 0:
                made = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PACKAGES],
                                      capture_output=True, text=True)
            if made.returncode != 0:
                last = (made.stderr.strip() or made.stdout.strip() or "?").splitlines()[-1]
                shared_material.skip("the judges cannot be installed: " + last[:200])
            open(os.path.join(venv, "complete"), "w").close()
        lock.close()
    os.environ["PAIMON_JUDGES_TRIED"] = "1"
    os.execv(python, [python] + sys.argv)
