# Prints help, and refuses arguments that no command takes. It is part of ./sluice and needs no build. setup/help has one
# text for each command; HelpTest compares them with the options in the code. setup/conflicts.txt says which arguments do
# not go together.

command='' subcommand='' # for the rest of the launcher
consent=ask              # or install, no-install
words=' '                # its arguments in lower case, between blanks: --option, --option=value, argument

refuse() {
  echo "sluice: $*" >&2
  exit 2
}

# Ends the launcher with a help text, with the release, or with status 2 and one line; or finds nothing wrong.
look_at_arguments() { # COMMAND [SUBCOMMAND] [ARGUMENT...]
  help=$root/setup/help/sluice said=./sluice # of the command found so far; its text is $help.txt
  case ${1:-} in
    -h | --help) print_help ;;
    -V | --version) print_version ;;
    '')
      cat "$help.txt" >&2
      exit 2
      ;;
    *[!a-z-]* | -*) refuse "there is no command $1; see ./sluice --help" ;;
  esac
  [ -f "$help/$1.txt" ] || refuse "there is no command $1; see ./sluice --help"
  command=$1 help=$help/$1 said="$said $1"
  shift
  if [ "$command" = run ]; then
    look_at_jar "${1:-}" # the other arguments are the program's
    return
  fi
  local given=0 argument
  while [ $# != 0 ]; do
    argument=$1
    shift
    case $argument in
      -h | -hV | --help) print_help ;;
      -V | --version) print_version ;;
      -*)
        value_is_next=''
        look_at_option "$argument" "$@"
        [ -z "$value_is_next" ] || shift
        ;;
      *)
        if [[ $argument != *[!a-z-]* ]] && [ -f "$help/$argument.txt" ]; then
          subcommand=$argument help=$help/$argument said="$said $argument" words=' '
        else
          given=$((given + 1))
          look_at_value '' "$(parameter "$given")" "$argument"
        fi
        ;;
    esac
  done
  ! grep -qE '^Usage: .* COMMAND$' "$help.txt" || refuse "$said needs a command; see $said --help"
  case $given$(parameter 1) in
    0 | '0['* | [1-9]*) ;;
    *) refuse "$said needs $(parameter 1); see $said --help" ;;
  esac
  look_at_conflicts
}

# An option stands in a line of its own: "  -h, --help", "--size=SIZE", "--sizes=SIZE[,SIZE...]" or "--serve[=PORT]".
look_at_option() { # OPTION[=VALUE] [NEXT...]
  local name=${1%%=*} label
  case $name in
    --install | --no-install) consent=${name#--} ;; # the last one counts
    *[!a-z-]*) refuse "$said has no option $name; see $said --help" ;;
  esac
  label=$(grep -m1 -E -e "$(line_of "$name")" "$help.txt") || refuse "$said has no option $name; see $said --help"
  label=${label#*"$name"} label=${label%% *} words+="$name "
  if [ "$name" != "$1" ]; then
    [ -n "$label" ] || refuse "$name takes no value; see $said --help"
    look_at_value "$name" "$label" "${1#*=}"
  elif [ -n "$label" ] && [ $# != 1 ] && [ "${2#-}" = "$2" ]; then
    look_at_value "$name" "$label" "$2"
    value_is_next=yes
  else
    case $label in =*) refuse "$name needs a value; see $said --help" ;; esac
  fi
}

# Where an option's text begins, or that of an argument, as a regular expression. The rest of the text is indented more.
line_of() { # option, or label of an argument
  case $1 in -*) echo "^ {2,6}(-., )?$1([=[]| |\$)" ;; *) echo "^ {6}\\[?$1[].]* " ;; esac
}

# The values that a text lists after its first colon, as "Size: SMALL, MEDIUM or LARGE (default: SMALL).", one a line. Other
# parts of its sentences are lines too; they have several words, so they equal no value.
listed_values() { # option, or '' for an argument; label
  local line
  line=$(line_of "${1:-$2}")
  sed -nE "/$line/,/^ {0,6}[^ ]/{/$line/p; /^ {7}/p}" "$help.txt" |
    sed -E ':a; $!{N; ba}; s/\n +/ /g; s/^[^:]*: //; s/ *\(default[^)]*\)//; s/\.$//; s/[,;:]? or |[,;:] |\. /\n/g'
}

# What the nth argument that is no option stands for: JSON..., [SUITE...], or nothing where no such argument is taken.
parameter() { # number
  local label
  label=$(sed -n 's/^ \{6\}\(\[\{0,1\}[A-Z][A-Z]*[].]*\) .*/\1/p' "$help.txt")
  case $1$label in 1* | *...*) echo "$label" ;; esac
}

# Looks at a value if its label says of which kind it is. The command itself looks at every value again.
look_at_value() { # option label value
  local kind=${2//[^A-Z,]/} value values=("$3") good problem
  [ -n "$2" ] || refuse "$said takes no argument $3; see $said --help"
  case $kind in *,*) IFS=, read -ra values <<<"$3" ;; esac
  for value in "${values[@]-}"; do
    words+="${1:+${1,,}=}${value,,} "
    case ${kind%%,*} in
      COUNT) good='^[1-9][0-9]*$' problem="is not a number from 1 on" ;;
      SIZE) good='^[0-9]+[kKmMgG]?[bB]?$' problem="is not a size such as 64m" ;;
      SEED) good='^[-+]?[0-9]+$' problem="is not a number" ;;
      SHARE) good='^ *[0-9.]+(e[-+]?[0-9]+)?[fd]? *$' problem="is not a share such as 0.5" ;;
      RATE) good='^(none|[0-9]+[kKmMgG]?[bB]?)$' problem="is neither a size such as 16m nor none" ;;
      MAPSREDUCES) good='^[1-9][0-9]*x[1-9][0-9]*$' problem="is not a number of maps and one of reduces, such as 64x8" ;;
      NAME | SUITE | PROGRAM | VERSION) # the text lists them
        listed_values "$1" "${kind%%,*}" | grep -ixF -e "$value" >/dev/null || refuse "${1:+$1 }$value is not known; see $said --help"
        continue
        ;;
      *) continue ;;
    esac
    [[ $value =~ $good ]] || refuse "$1 $value $problem; see $said --help"
  done
}

# Refuses arguments that do not go together.
look_at_conflicts() {
  local of conflict why pattern patterns
  while IFS=: read -r of conflict why; do
    [ "$said" = "./sluice $of" ] || continue
    read -ra patterns <<<"$conflict"
    for pattern in "${patterns[@]}"; do
      case $pattern in
        !*) [[ ! $words =~ \ (${pattern#!})\  ]] || continue 2 ;;
        *) [[ $words =~ \ ($pattern)\  ]] || continue 2 ;;
      esac
    done
    refuse "${why# }; see $said --help"
  done <"$root/setup/conflicts.txt"
}

look_at_jar() { # first argument of run
  case $1 in
    -h | --help) print_help ;;
    '' | -*) refuse "run needs a jar: ./sluice run JAR [CLASS] [ARGUMENT...]; see ./sluice run --help" ;;
  esac
  [ -f "$1" ] || refuse "there is no jar $1"
}

print_help() {
  cat "$help.txt"
  exit
}

print_version() {
  echo "Sluice $(release_of "$root")"
  exit
}

# As its build file says it.
release_of() { # directory of a checkout
  sed -n '/<artifactId>sluice</{n;s/ *<version>\(.*\)<.*/\1/p;q;}' "$1/pom.xml"
}
