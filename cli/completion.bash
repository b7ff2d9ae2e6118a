# Completion of the paimon command for bash: source it, or install it as share/bash-completion/completions/paimon.
_paimon() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local table="--warehouse --catalog-config --branch -o"
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "read plan create write commit abort truncate drop rename alter ls schema snapshots files inspect decode --help --version" -- "$word"))
        return
    fi
    case $before in
    --format)
        case $command in
        read) COMPREPLY=($(compgen -W "table csv jsonl canonical parquet count checksum" -- "$word")) ;;
        plan) COMPREPLY=($(compgen -W "table json count" -- "$word")) ;;
        *) COMPREPLY=($(compgen -W "table json" -- "$word")) ;;
        esac
        return
        ;;
    --input-format)
        COMPREPLY=($(compgen -W "csv jsonl canonical parquet" -- "$word"))
        return
        ;;
    --type)
        COMPREPLY=($(compgen -W "schema snapshot tag manifest-list manifest index-manifest split message messages committable parquet avro" -- "$word"))
        return
        ;;
    -o)
        compopt -o nospace
        COMPREPLY=($(compgen -W "scan.snapshot-id= scan.tag-name= scan.timestamp-millis= scan.timestamp= scan.watermark= scan.version=" -- "$word"))
        return
        ;;
    --where | --columns | --limit | --threads | --batch-rows | --branch)
        return
        ;;
    esac
    if [[ $word == -* ]]; then
        local options="--help"
        case $command in
        read) options="$options --columns --where --limit --format --output -O --threads --batch-rows --split --stats $table" ;;
        plan) options="$options --where --limit --format --output -O --splits --split-version --stats $table" ;;
        files) options="$options --where --format $table" ;;
        schema | snapshots) options="$options --format $table" ;;
        create) options="$options --schema --columns --partition-by --primary-key --comment --if-absent $table" ;;
        write) options="$options --input-format --overwrite --partition --commit-user --commit-identifier --messages --messages-version --threads --stats $table" ;;
        commit) options="$options --messages --messages-version --overwrite --partition --commit-user --commit-identifier --prepare-only --table-id $table" ;;
        abort) options="$options --messages --messages-version $table" ;;
        truncate) options="$options --commit-user $table" ;;
        drop) options="$options --partition --if-exists $table" ;;
        rename) options="$options --warehouse --catalog-config --branch" ;;
        alter) options="$options --set --unset $table" ;;
        ls) options="$options --warehouse --catalog-config --all" ;;
        inspect) options="$options --type --output -O --rewrite --version" ;;
        decode) options="$options --columns --output -O --threads --verify-checksums" ;;
        esac
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _paimon paimon
