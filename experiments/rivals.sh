#!/bin/sh
# Compares all schemes and other architectures: runs, attacks, costs and measures into one folder of
# results with a report. `make rivals` builds the program and calls it; it takes hours.
#
#   experiments/rivals.sh PROGRAM OUT
#
# Every step can be repeated: finished runs of `evaluate` are reused, rows of the other steps replaced.
# STEPS selects some: "evaluate attack parameters many costs neighbours report". EXPERIMENT is another
# file than schemes.toml. A smaller run has other maps and numbers:
#
#   MAPS=city:600:25 USERS=500 MANY=800 VICTIMS=10 experiments/rivals.sh target/debug/meshcloak small
set -eu

program=$1 out=$2
here=$(dirname "$0")
steps=${STEPS:-evaluate attack parameters many costs neighbours report}

if [ -n "${MAPS:-}" ]; then
    maps=$MAPS                    # maps of all schemes
    places=$MAPS                  # maps with points of interest, for `semantics`
    streets=${MAPS%%,*}           # map of mobimix, nwa and cachecloak
    city=$streets                 # map of costs, cache and pir
    pois=                         # more points of interest of that map
    tuned=$streets                # maps of schemes with other parameters
    squares=                      # MAP:LABEL of a street in a public place, for footprints
    trips=                        # recorded trips on that map
else
    maps=oldenburg,porto,paris
    places=porto+porto/PORTO_POIs.csv,baltimore,bad-hersfeld,porto-alegre
    streets=${MESHCLOAK_MAPS:?names the folder of maps}/oldenburg/oldenburgGen.node
    city=$MESHCLOAK_MAPS/porto/porto-city.osm.pbf
    pois="--pois $MESHCLOAK_MAPS/porto/PORTO_POIs.csv"
    tuned=oldenburg,porto
    squares="oldenburg:734407350 porto:39597607.3"
    trips=$MESHCLOAK_MAPS/../traces/porto-taxi/train_1500.csv.gz
fi
users=${USERS:-10000}
many=${MANY:-100000}
victims=${VICTIMS:-100}
seconds=${COST_SECONDS:-30}

# Schemes with other parameters than the default.
variants=reciprocal-framework:split=hilbert,reciprocal-framework:index=quadtree
variants=$variants,reciprocal-framework:index=quadtree:split=hilbert
variants=$variants,l2p2:requirement=basic,query-aware:greedy=randomised
variants=$variants,patching:of=road-network-k,delaying:of=road-network-k
variants=$variants,patching:of=l2p2,delaying:of=l2p2

run() {
    echo "+ $*" >&2
    "$program" "$@" >/dev/null
}

for step in $steps; do
    case $step in
    evaluate) # runs.csv, skipped.csv
        # shellcheck disable=SC2086
        run evaluate "${EXPERIMENT:-$here/schemes.toml}" ${SAMPLE---sample} --out "$out" \
            ${MAPS:+--maps "$MAPS"} ${USERS:+--users "$USERS"}
        ;;
    attack) # privacy.csv: both threat models
        run attack --maps "$maps" --users "$users" --victims "$victims" \
            --attacks D,known-point,E,K --scheme all --own --out "$out"
        run attack --maps "$places" --users "$users" --victims "$victims" \
            --attacks D,known-point,E,K --scheme semantics --own --out "$out"
        ;;
    parameters) # the same with other parameters
        run attack --maps "$tuned" --users "$users" --victims "$victims" \
            --attacks D,known-point,E,K --scheme "$variants" --own --out "$out"
        for square in $squares; do
            run attack --maps "${square%%:*}" --users "$users" --victims "$victims" \
                --attacks D,known-point,E,K --scheme "footprints:place=${square##*:}" --own --out "$out"
        done
        ;;
    many) # the same as attack at 100,000 users, without the authors' models
        run attack --maps "$maps" --users "$many" --victims "$victims" \
            --attacks D,known-point,E,K --scheme all --out "$out"
        ;;
    costs) # costs.csv
        # shellcheck disable=SC2086
        run costs "$city" $pois --schemes all --users "$users" --seconds "$seconds" --out "$out"
        ;;
    neighbours) # neighbours.csv, neighbours-drawings.csv
        run neighbours mobimix "$streets" --users "$users" --out "$out"
        run neighbours nwa "$streets" --users "${USERS:-2000}" --out "$out"
        run neighbours cachecloak "$streets" --users "$users" --out "$out"
        # shellcheck disable=SC2086
        run neighbours cache "$city" $pois --users "$users" --out "$out"
        # shellcheck disable=SC2086
        run neighbours pir "$city" $pois --users "$users" --retrievals "${RETRIEVALS:-20}" --out "$out"
        for system in ${trips:+mobimix nwa cachecloak cache pir}; do
            # shellcheck disable=SC2086
            run neighbours $system "$city" $pois --traces "$trips" --overlay --out "$out"
        done
        ;;
    report)
        run report "$out"
        ;;
    *)
        echo "unknown step $step; expected evaluate, attack, parameters, many, costs, neighbours or report" >&2
        exit 2
        ;;
    esac
done
