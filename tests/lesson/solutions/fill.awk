# awk -f fill.awk SOLUTION.txt EXERCISE: the exercise with its solution. Every line of code that holds FILL_IN is
# replaced by the solution's next line.
FNR == NR { solution[++lines] = $0; next }
/FILL_IN/ && !/^(\/\/|#)/ { print solution[++used]; next }
{ print }
END { exit used != lines }
