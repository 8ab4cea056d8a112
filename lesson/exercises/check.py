"""Check the exercises in Python: `python3 check.py` checks all, `python3 check.py 3` only the third.

This needs numpy and a C compiler, which it calls by itself: the right results and those of usual mistakes are written
only once, in C (check_1.c to check_7.c). The compiled checker asks for the results of a function: "? turn 2 1 0 0.5"
asks for the two numbers of turn() for x = (1, 0) and angle = 0.5. This program calls the function and answers.
"""

import os
import signal
import subprocess
import sys
import tempfile
import traceback

try:
    import numpy as np
except ImportError:
    sys.exit("check.py: this python3 has no numpy; `python3 -m pip install numpy` gets it")

EXERCISES = ["1_turn", "2_turn_back", "3_torque", "4_slope", "5_buckets", "6_softmax", "7_own_scheme"]
SECONDS = 10  # after which a function is stopped
MULTIPLY = "Python needs a * for every multiplication: a formula's x0 c is x0 * c."

# What each function is called with; n is an array of the numbers in the question.
ARGUMENTS = {
    "turn": lambda n: (n[:2], n[2]),
    "turn_back": lambda n: (n[:2], n[2]),
    "torque": lambda n: (n[:2], n[2:]),
    "theta_gradient": lambda n: tuple(n.reshape(2, -1, 2)),
    "slope_gradient": lambda n: (n.reshape(round(len(n) ** 0.5), -1),),
    "sigma_gradient": lambda n: (n[0], n[1]),
    "bucket": lambda n: tuple(int(x) for x in n),
    "softmax_backward": lambda n: tuple(n.reshape(2, -1)),
    "own_score": lambda n: (n[:2], n[2:4], int(n[4]), int(n[5]), n[6]),
    "own_backward": lambda n: (n[0], n[1:3], n[3:5], int(n[5]), int(n[6]), n[7]),
}


class Wrong(Exception):
    """A student's file cannot be checked; the message says why."""


def stop(*_):
    raise TimeoutError(f"it did not end within {SECONDS} seconds; does a loop go on for ever?")


def load(path):
    """Run the student's file and return its functions."""
    names = {}
    try:
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), path, "exec")
    except UnicodeDecodeError:
        raise Wrong("the file is not UTF-8; save it as UTF-8") from None
    except (SyntaxError, ValueError) as error:
        raise Wrong(f"line {getattr(error, 'lineno', 1)} is not valid Python: {error.args[0]}. ({MULTIPLY})") from None
    call(path, exec, code, names)
    return names


def hint_for(error):
    """Advice for notation that is usual on paper but different in Python, or an empty string."""
    text = str(error)
    name = text.split("'")[1] if isinstance(error, NameError) and "'" in text else ""
    if name == "math":
        return ". (Write np instead of math.)"
    if name in ("log", "log1p", "exp", "sqrt", "sin", "cos", "tan", "tanh", "pi", "dot", "zeros", "array"):
        return f". (Write np.{name}.)"
    if name or "not callable" in text:
        return f". ({MULTIPLY})"
    return ". (A power is **, as in x ** 2.)" if "bitwise_xor" in text or " ^" in text else ""


def call(path, function, *arguments):
    """Call the student's code; an exception is reported with the line in the student's file."""
    signal.alarm(SECONDS)
    try:
        return function(*arguments)
    except (Exception, SystemExit) as error:  # whatever it is
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        line = lines[-1] if lines else 1
        if isinstance(error, NameError) and "'FILL_IN'" in str(error):
            return f"blank {line}"
        raise Wrong(f"line {line} stops with {type(error).__name__}: {error}{hint_for(error)}") from None
    finally:
        signal.alarm(0)


def answer(path, names, question):
    """Return the line that answers the checker's question."""
    _, name, count, *numbers = question.split()
    function = names.get(name)
    if not callable(function):
        raise Wrong(f"there is no function {name}() any more")
    result = call(path, function, *ARGUMENTS[name](np.array(numbers, dtype=float)))
    if isinstance(result, str) and result.startswith("blank "):
        return result
    if result is None:
        raise Wrong(f"{name}() returns nothing: it must end with `return`")
    try:
        flat = [float(x) for part in (result if isinstance(result, tuple) else (result,)) for x in np.ravel(part)]
    except (TypeError, ValueError):
        raise Wrong(f"{name}() returns {result!r}, which is no number or array of numbers") from None
    if len(flat) != int(count):
        raise Wrong(f"{name}() must return {count} number{'s' if int(count) > 1 else ''}, not {len(flat)}")
    if name == "bucket" and not flat[0].is_integer():
        raise Wrong(f"bucket() returns {flat[0]:.6g}, which is no whole number: round down, with int()")
    return " ".join(map(repr, flat))


def check(exercise, directory):
    """Print what the checker says about an exercise; return whether the exercise is right."""
    path, program = exercise + ".py", os.path.join(directory, "check")
    sources = [f"check_{exercise[0]}.c", "check.c", "ask.c"]
    compiler = os.environ.get("CC", "cc").split()
    try:
        subprocess.run([*compiler, "-std=c11", '-DENDING=".py"', *sources, "-lm", "-o", program], check=True)
    except FileNotFoundError:
        sys.exit(f"check.py: there is no C compiler {compiler[0]}; Python exercises need one too, because their checker is "
                 "written in C. Install gcc or clang, or name another compiler with CC=NAME")
    except subprocess.CalledProcessError:
        sys.exit(f"check.py: {' '.join(sources)} do not compile")
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as checker:
        try:
            names = load(path)
            for line in checker.stdout:
                if not line.startswith("? "):
                    print(line, end="")
                    continue
                checker.stdin.write(answer(path, names, line) + "\n")
                checker.stdin.flush()
        except (Wrong, OSError) as error:
            checker.kill()
            print(f"{path:<16} WRONG: {error}")
    return checker.returncode == 0


def main(numbers):
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    signal.signal(signal.SIGALRM, stop)
    np.seterr(all="ignore")  # the checker tells of infinite results
    chosen = [exercise for exercise in EXERCISES if not numbers or exercise[0] in numbers]
    unknown = set(numbers) - {exercise[0] for exercise in EXERCISES}
    if unknown:
        sys.exit(f"check.py: there is no exercise {min(unknown)}; give numbers from 1 to {len(EXERCISES)}, or none")
    with tempfile.TemporaryDirectory() as directory:
        right = sum(check(exercise, directory) for exercise in chosen)
    print(f"{right} of {len(chosen)} right")
    return right == len(chosen)


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
