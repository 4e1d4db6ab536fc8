# For .husky/pre-push, before anything that reads standard input:
diffsieve hook pre-push "$@"
# For .husky/pre-commit:
diffsieve hook pre-commit
