# The words and plots of builtin:tales: scripts/tales.sh names the line of a mistake in them, and says what is wrong.
. tests/support/shell
tales=$repository/data/made/tales/tales.txt

translate() { sh "$repository/scripts/tales.sh" "$1" >tables.c 2>messages; }

check "the text is sound" translate "$tales"

# mistaken NAME EDIT MESSAGE: after this edit by sed, the only output is one sentence with a line number.
mistaken() {
    sed "$2" "$tales" >edited.txt
    if cmp -s "$tales" edited.txt; then fail "$1" "the edit changed nothing"; return; fi
    translate edited.txt
    if [ $? -eq 2 ] && [ "$(wc -l <messages)" -eq 1 ] && grep -q "^edited.txt:[0-9]*: .*$3" messages
    then pass "$1"
    else fail "$1" "$(cat messages)"
    fi
}
mistaken "a slot that nobody knows" 's/{feeling}/{feelin}/' '{feelin}'
mistaken "a form that nobody knows" 's/{the A}/{teh A}/' '"teh"'
mistaken "a form that does not fit its letter" 's/{coins N}/{coins P}/' 'P has no form "coins"'
mistaken "an open brace" 's/{feeling}/{feeling/' 'no }'
mistaken "an open alternative" 's/hurried|rode|wandered>/hurried|rode|wandered/' 'no >'
mistaken "a list that is missing" 's/^words feeling/words mood/' '"feeling"'
mistaken "a section that the program needs" 's/^script world/script word/' '"script world" is missing'
mistaken "a script that is missing" 's/^script hiding-place/script hidden-place/' 'no script called "hiding-place"'
mistaken "a section of an unknown sort" 's/^words animal/wrds animal/' '"wrds" begins no section'
mistaken "a name used twice" 's/^scene mood/scene purse/' 'already the name of a section'
mistaken "an article before a capital" 's/fox, goose/Fox, goose/' '"Fox" begins with no small letter'
mistaken "a letter that is not ASCII" "s/fox, goose/fox, g$(printf '\303\244')nse/" 'ASCII'
mistaken "a word without its partner" 's|candle/candles|candle|' '"candle": expected two words'
mistaken "a kind of story that does not exist" 's/often tale 8/often tail 8/' '"tail": there is no such kind of story'
mistaken "a scene without room" 's/^scene mood (room 600)/scene mood (new)/' 'expected "room N"'
mistaken "a field that is missing" '/^    one: guest/d' '"guest list" lacks its "one:"'
mistaken "a statement that nobody knows" 's/^    do hiding-place/    go hiding-place/' 'no statement'
mistaken "a condition that nobody knows" 's/need day is under/need day below/' 'no condition'
mistaken "something that stories do not remember" 's/with holder A and/with money A and/' '"money"'
mistaken "an else without its if" 's/^    else:/        else:/' '"else"'
mistaken "too little indentation" 's/^    need day/   need day/' 'indented by 3'
mistaken "a question without an answer" '/answer I am {a B}/d' 'one "answer"'
mistaken "too few questions" 's/^    ask What is your trade/    need day is under 3\
&/' 'at least four questions'

# What a reader may add: a word, a phrase, a question, a scene of its own.
sed 's/^words animal/&\
    unicorn,/' "$tales" >longer.txt
cat >>longer.txt <<'SCENE'

question
    ask What is your favourite animal?
    answer The {animal}, of course

scene race (room 120)
    often tale 3, market 5
    A = somebody
    B = somebody besides A
    N = random 2 to 9
    - {A} and {B} ran a race, and {A} won by {N} steps.
    if coins of A is not unknown:
        coins of A = coins of A + N
        - _The prize was {coins N}.
SCENE
check "words, questions and scenes can be added" translate longer.txt
check "and are in the tables" grep -q 'unicorn' tables.c
finish
