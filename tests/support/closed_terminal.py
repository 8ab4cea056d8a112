"""Close the terminal of a program at work: the kernel and the shell both send it SIGHUP.

closed_terminal.py DIRECTORY ROWS SECONDS COMMAND: an interactive bash runs the command in a terminal of its own, which
closes once the logs below the directory have so many rows. So many seconds later, all processes that the command has
started get another SIGHUP. Returns when they have ended.
"""
import glob, os, pty, select, signal, sys, time

directory, rows, seconds, command = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
ends, lives = os.pipe()  # all that the shell starts inherits the second end, and its last process closes it
os.set_inheritable(lives, True)
shell, terminal = pty.fork()
if shell == 0:
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
os.close(lives)
os.write(terminal, (command + "\n").encode())


def trained():
    names = glob.glob(directory + "/log.csv") + glob.glob(directory + "/runs/*/log.csv")
    return sum(open(name).read().count("\n") for name in names) >= rows


limit = time.time() + 300
while not trained() and time.time() < limit:
    if select.select([terminal], [], [], 0.02)[0]:
        os.read(terminal, 4096)
group = os.tcgetpgrp(terminal)
os.close(terminal)
time.sleep(seconds)
try:
    os.killpg(group, signal.SIGHUP)
except ProcessLookupError:
    pass
os.read(ends, 1)
os.waitpid(shell, 0)
