# The words and plots of builtin:tales: scripts/tales names the line of a mistake in them, and says what is wrong.
. tests/support/shell
tales=$repository/data/made/tales/tales.txt

translate() {
    LC_ALL=C awk -f "$repository/scripts/tales/sections.awk" -f "$repository/scripts/tales/statements.awk" "$1" \
        >tales.c 2>messages
}

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
mistaken "a slot that nobody knows" 's/{feeling}/{feelin}/' 'found "feelin"'
mistaken "a form that nobody knows" 's/{the A}/{teh A}/' 'a form.*"teh A"'
mistaken "a form that does not fit its letter" 's/{coins N}/{coins P}/' 'a number.*found "P"'
mistaken "an open brace" 's/{feeling}/{feeling/' 'expected a }'
mistaken "an open alternative" 's/hurried|rode|wandered>/hurried|rode|wandered/' 'expected a >'
mistaken "a list that is missing" 's/^words feeling/words mood/' 'found "feeling"'
mistaken "a section that the program needs" 's/^script world/script word/' 'expected a section "script world"'
mistaken "a script that is missing" 's/^script hiding-place/script hidden-place/' 'name of a script, found "hiding-place"'
mistaken "a section of an unknown sort" 's/^words animal/wrds animal/' 'found "wrds"'
mistaken "a name used twice" 's/^scene mood/scene purse/' 'that nothing else has, found "scene-purse"'
mistaken "a list without words" 's/^words animal/words unicorn\
&/' 'at least one entry'
mistaken "a bracket among words" 's/fox, goose/fox, {goose}/' 'expected a word'
mistaken "a letter that is not ASCII" "s/fox, goose/fox, g$(printf '\303\244')nse/" 'ASCII'
mistaken "a word without its partner" 's|candle/candles|candle|' 'one word for each list.*"candle"'
mistaken "a kind of story that does not exist" 's/often tale 8/often tail 8/' 'a kind of story, found "tail"'
mistaken "a scene without room" 's/^scene mood (room 600)/scene mood (new)/' 'expected scene NAME'
mistaken "a scene that never comes" '/^    often tale 4, letter 5, inquiry 2/d' '"often ..."'
mistaken "a property that scenes do not have" 's/(new, room 330)/(news, room 330)/' 'expected scene NAME'
mistaken "a field that is missing" '/^    one: guest/d' 'the fields one begin item, found " begin item"'
mistaken "a statement that nobody knows" 's/^    do hiding-place/    go hiding-place/' 'one of the statements.*"go hiding-place"'
mistaken "a condition that nobody knows" 's/need day is under/need day below/' 'a condition.*"day below 20"'
mistaken "something that stories do not remember" 's/with holder A and/with money A and/' 'stories remember, found "money of it"'
mistaken "something remembered of others only" 's/need coins of A is over 1/need holder of A is over 1/' '"holder of A"'
mistaken "somebody who is a thing" 's/X = thing with owner not A/X = somebody with owner not A/' 'fits the letter X'
mistaken "an assignment to a number" 's/^    day = 1$/    7 = 1/' 'can change, found "7"'
mistaken "a sum of nothing" 's/^    L = lists$/    L = lists + /' 'found "lists +"'
mistaken "a value with a word too many" 's/need day is under 20/need day is under coins of A B/' 'found "coins of A B"'
mistaken "something learnt without a number" 's/learn L I:/learn L:/' 'found "L"'
mistaken "an if without a colon" 's/if A is over 0:/if A is over 0/' 'a colon'
mistaken "an else without its if" 's/^    else:/        else:/' 'an "if" above.*"else:"'
mistaken "too little indentation" 's/^    need day/   need day/' 'indented by 3'
mistaken "a question without an answer" '/answer I am {a B}/d' 'one "answer"'
mistaken "too few questions" 's/^    ask What is your trade/    need day is under 3\
&/' 'at least four questions'

# What a reader may add: a word, a phrase, a question, a scene.
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
check "compile" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$repository" tales.c
check "and are in the C code" grep -q 'unicorn' tales.c
finish
