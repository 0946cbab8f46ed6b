# Lines of a user, an hour and a query in, one line for each word of the query and for each two that follow one another out.
BEGIN { FS = OFS = "\t" }
{
  count = split($3, words, / +/)
  for (i = 1; i <= count; i++) {
    print $1, $2, words[i]
    if (i < count) print $1, $2, words[i] " " words[i + 1]
  }
}
