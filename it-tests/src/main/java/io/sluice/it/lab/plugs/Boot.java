package io.sluice.it.lab.plugs;

import java.util.List;
import java.util.Optional;

/**
 * What a guest does between two pulled plugs. It first recovers and verifies what the boot before
 * it left; then, unless it is the last, it goes on writing.
 *
 * @param number from 0
 * @param formerSegments length of the pool that the boot before left, in segments; 0 for none
 * @param segments length of the pool that it writes to, or 0 to verify only
 * @param fresh whether it frees everything and starts with an empty pool
 * @param step where it stops, so that the plug can be pulled there; empty for any moment
 * @param occurrence which time it stops there, from 1
 * @param writerSeed of what it writes
 */
record Boot(
    int number,
    int formerSegments,
    int segments,
    boolean fresh,
    Optional<Step> step,
    int occurrence,
    long writerSeed) {

  /** As arguments of {@link PlugsProgram}. */
  List<String> toArguments() {
    return List.of(
        Integer.toString(number),
        Integer.toString(formerSegments),
        Integer.toString(segments),
        Boolean.toString(fresh),
        step.map(Step::name).orElse("none"),
        Integer.toString(occurrence),
        Long.toString(writerSeed));
  }

  static Boot of(List<String> arguments) {
    return new Boot(
        Integer.parseInt(arguments.get(0)),
        Integer.parseInt(arguments.get(1)),
        Integer.parseInt(arguments.get(2)),
        Boolean.parseBoolean(arguments.get(3)),
        arguments.get(4).equals("none")
            ? Optional.empty()
            : Optional.of(Step.valueOf(arguments.get(4))),
        Integer.parseInt(arguments.get(5)),
        Long.parseLong(arguments.get(6)));
  }
}
