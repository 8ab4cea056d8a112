# What `bitter sample` writes: choice of tokens, standard input, and a conversation.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'
need train $small --data builtin:tales:bytes=20000 --steps 60 --lr 1e-2 --warmup 5 --out run
printf 'na\303\257ve caf\303\251 \342\202\254 5, na\303\257ve caf\303\251 \342\202\254 6\n%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 >cafe.txt
need prepare --tokenizer chars --out cafe cafe.txt
need train $small --data cafe --steps 150 --lr 1e-2 --warmup 5 --out chars
sample() {
    run sample run --threads 1 --tokens 60 "$@"
    [ "$code" -eq 0 ] || story >&2
}

# --- which tokens ---
sample --temperature 0 && cp "$scratch/out" greedy
for options in '--top-k 1' '--top-k 0 --top-p 1e-6' '--top-k 0 --min-p 1'; do
    sample $options
    check "$options is the most likely token" cmp greedy "$scratch/out"
done
sample && cp "$scratch/out" usual
sample --top-p 1 --min-p 0
check "--top-p 1 and --min-p 0 leave nothing out" cmp usual "$scratch/out"
sample --top-p 0.5
check "--top-p 0.5 does" test "$(cksum <usual)" != "$(cksum <"$scratch/out")"
for wrong in '--top-p 0' '--top-p 1.1' '--min-p -1' '--min-p 2' '--repeat 0'; do
    refuses "$wrong" "${wrong% *}: give" sample run $wrong
done


# --- more than one ---
succeed "--repeat" sample run --threads 1 --tokens 30 --seed 4 --repeat 3 --prompt It
check "each with its seed" test "$(grep -a '^--- seed ' "$scratch/out" | tr '\n' ' ')" = '--- seed 4 --- seed 5 --- seed 6 '
cp "$scratch/out" three
run sample run --threads 1 --tokens 30 --seed 5 --prompt It
check "which alone gives the same" grep -qaFx -- "$(sed -n 1p "$scratch/out")" three

# --- standard input ---
piped() { # TEXT ARGUMENT...
    text=$1
    shift
    ran="printf '$text' | bitter $*"
    printf "$text" | "$BITTER" "$@" >"$scratch/out" 2>"$scratch/err"
    code=$?
}
run sample run --threads 1 --tokens 30 --prompt 'It was' && cp "$scratch/out" typed
piped 'It was\n' sample run --threads 1 --tokens 30 --prompt -
check "--prompt - is standard input without its last newline" cmp typed "$scratch/out"
piped 'two\nlines\n\n' sample run --threads 1 --tokens 1 --prompt -
check "other newlines stay" test "$(head -c 10 "$scratch/out" | od -A n -c | tr -d ' \n')" = 'two\nlines\n'
piped '' sample run --threads 1 --tokens 5 --prompt -
check "an empty one is no prompt" test $code -eq 0
long=$(printf '%0600d' 0)
piped "$long" sample run --threads 1 --tokens 3 --prompt - && cp "$scratch/out" long
for prompt in --prompt ''; do
    succeed "a long prompt ${prompt:-behind the run}" sample run $prompt "$long" --threads 1 --tokens 3
    check "is taken whole" cmp long "$scratch/out"
done
refuses "two prompts" "--prompt;leave one" sample run It --prompt It
refuses "a prompt without quotes" "got 3;quotes" sample run It was
piped 'a\000b' sample run --prompt -
check "a byte 0 is refused" test -z "$(complaint 2 'standard input;byte 0')"
refuses "--prompt - and --interactive" "--prompt -;--interactive" sample run --prompt - --interactive
refuses "--repeat and --interactive" "--repeat 2;--interactive" sample run --repeat 2 --interactive

# --- a conversation through pipes ---
piped 'na\n\n' sample chars --interactive --threads 1 --tokens 5 --temperature 0
check "no prompt signs where nobody types" sh -c "! grep -q '^> ' '$scratch/out'"
tr -d '\n' <"$scratch/out" >answers
run sample chars --threads 1 --tokens 10 --temperature 0 --prompt na
check "an empty line lets the answer go on" test "na$(cat answers)" = "$(tr -d '\n' <"$scratch/out")"
piped '' sample chars --interactive --threads 1
check "no line, no answer" test "$code-$(size_of "$scratch/out")" = 0-0
piped 'x\n' sample chars --interactive --threads 1
check "an unknown character is refused" test -z "$(complaint 2 "your text, line 1;'x'")"
piped 'caf\n' sample chars --interactive --threads 1 --tokens 4 --temperature 0 --prompt 'na'
check "a first prompt is answered first" test "$code-$(head -c 2 "$scratch/out")-$(grep -c '' "$scratch/out")" = 0-na-2
long=$(printf 'na\303\257ve %.0s' 1 2 3 4 5 6 7 8 9 10)
piped "$long\n$long\n" sample chars --interactive --threads 1 --tokens 40 --temperature 0
check "more than the window holds" test "$code-$(grep -c . "$scratch/err")" = 0-0
is_utf8() {
    iconv -f UTF-8 -t UTF-8 "$1" >/dev/null
}
check "characters are whole" is_utf8 "$scratch/out"
need prepare --out cafe-bytes cafe.txt
need train $small --data cafe-bytes --steps 300 --lr 1e-2 --warmup 5 --out bytes
for tokens in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    run sample bytes --threads 1 --tokens $tokens --temperature 0 --prompt 'na'
    check "--tokens $tokens of bytes: characters are whole" is_utf8 "$scratch/out"
    cat "$scratch/out" >>lengths
done
check "some have more than one byte" test "$(wc -m <lengths)" -ne "$(LC_ALL=C.UTF-8 wc -m <lengths)"
piped 'na\n\n\n\n\n\n\n' sample bytes --interactive --threads 1 --tokens 1 --temperature 0
check "also where an answer ends in a conversation" is_utf8 "$scratch/out"
sh -c '"$0" sample bytes --threads 1 --tokens 100000000 --interactive <"$1"' "$BITTER" cafe.txt 2>"$scratch/err" | head -c 20 >"$scratch/out"
check "a reader that goes away ends it, without a message" test ! -s "$scratch/err"

# --- a conversation on a terminal ---
# seen TEXT NUMBER: wait until the terminal has shown the text NUMBER times, or the program has ended.
seen() {
    while [ "$(grep -oaF -- "$1" screen | wc -l)" -lt "$2" ] && kill -0 $job 2>/dev/null; do sleep 0.05; done
    [ "$(grep -oaF -- "$1" screen | wc -l)" -ge "$2" ]
}
shows() { # BYTES: wait until the terminal shows so many
    while [ "$(size_of screen)" -lt "$1" ] && kill -0 $job 2>/dev/null; do sleep 0.05; done
    [ "$(size_of screen)" -ge "$1" ]
}
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    mkfifo keys && : >screen
    script -qec "$BITTER sample run --interactive --threads 1 --tokens 100000000" /dev/null <keys >screen 2>&1 &
    job=$!
    exec 9>keys
    check "it asks for a line" seen '> ' 1
    printf 'Once\n' >&9
    check "the answer streams" shows 500
    printf '\003' >&9
    check "Ctrl-C stops the answer, and it asks again" seen "$(printf '\n> ')" 1
    printf 'Then\n' >&9
    check "the next answer streams" shows $(($(size_of screen) + 500))
    printf '\003' >&9
    check "Ctrl-C stops that, too" seen '> ' 3
    printf '\003' >&9
    wait $job
    check "a Ctrl-C at the prompt ends it" test $? -eq 0
    job=
    exec 9>&-
    check "no half characters on the screen" is_utf8 screen
    : >screen
    script -qec "$BITTER sample run --interactive --threads 1 --tokens 20" /dev/null <keys >screen 2>&1 &
    job=$!
    exec 9>keys
    seen '> ' 1
    printf '\004' >&9
    wait $job
    check "Ctrl-D ends it" test $? -eq 0
    job=
    exec 9>&-
    # This run has learned little about bytes: at this temperature it writes bytes that are not characters.
    script -qec "$BITTER sample run --tokens 300 --temperature 50 --top-k 0" /dev/null >screen </dev/null
    check "invalid bytes are U+FFFD on a screen" grep -qaF "$(printf '\357\277\275')" screen
    check "and nothing else is" is_utf8 screen
else
    lacks "a conversation on a terminal" "util-linux's script" bsdutils
fi
finish
