# Prints help, and refuses arguments that no command takes. It is part of ./sluice and needs no build. setup/help has one
# text for each command; HelpTest compares them with the options in the code.

command='' subcommand='' # for the rest of the launcher
consent=ask              # or install, no-install

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
          subcommand=$argument help=$help/$argument said="$said $argument"
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
}

# An option stands in a line of its own: "  -h, --help", "--size=SIZE", "--sizes=SIZE[,SIZE...]" or "--serve[=PORT]".
look_at_option() { # OPTION[=VALUE] [NEXT...]
  local name=${1%%=*} label
  case $name in
    --install | --no-install) consent=${name#--} ;; # the last one counts
    *[!a-z-]*) refuse "$said has no option $name; see $said --help" ;;
  esac
  label=$(grep -m1 -E -e "^ +(-., )?$name([=[]| |\$)" "$help.txt") || refuse "$said has no option $name; see $said --help"
  label=${label#*"$name"} label=${label%% *}
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
    case ${kind%%,*} in
      COUNT) good='^[1-9][0-9]*$' problem="is not a number from 1 on" ;;
      SIZE) good='^[0-9]+[kKmMgG]?[bB]?$' problem="is not a size such as 64m" ;;
      MAPSREDUCES) good='^[1-9][0-9]*x[1-9][0-9]*$' problem="is not a number of maps and one of reduces, such as 64x8" ;;
      NAME | SUITE | PROGRAM | VERSION) # the text lists them
        [ -n "$value" ] && grep -qiwF -e "$value" "$help.txt" || refuse "${1:+$1 }$value is not known; see $said --help"
        continue
        ;;
      *) continue ;;
    esac
    [[ $value =~ $good ]] || refuse "$1 $value $problem; see $said --help"
  done
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
  echo "Sluice $(sed -n '/<artifactId>sluice</{n;s/ *<version>\(.*\)<.*/\1/p;q;}' "$root/pom.xml")"
  exit
}
