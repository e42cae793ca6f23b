# Sourced by scripts that make a shipped checkpoint, from the repository root, with their arguments: the data's folder is
# there, and $name is the checkpoint, `small` where none is given.
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"
name=${1:-small}

case $name in
  small | base) ;;
  *) echo "no shipped checkpoint is called $name; give small or base" >&2; exit 2 ;;
esac
