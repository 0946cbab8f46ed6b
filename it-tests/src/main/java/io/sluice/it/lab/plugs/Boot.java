package io.sluice.it.lab.plugs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * The work of a guest between two pulled plugs. It first recovers and verifies what the boot before
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

  /**
   * Draws what each boot does and when its plug is pulled: first at every step of a commit, in
   * random order, then by turns at any moment and at one of the other steps, all of which come
   * before one comes again.
   *
   * <p>Every boot makes the pool longer by some segments, so that segments are always being
   * created; every {@value #BOOTS_PER_POOL} boots it starts anew. Thread contract: one thread.
   */
  static final class BootPlan {
    private static final int BOOTS_PER_POOL = 6;
    private static final int FIRST_SEGMENTS = 16;
    private static final int MORE_SEGMENTS = 4;

    private final Random random;
    private final List<Step> ofCommit = new ArrayList<>(Step.ofCommit());
    private final List<Step> others = new ArrayList<>();
    private boolean moment;
    private int number;
    private int segments;

    BootPlan(long seed) {
      random = new Random(seed);
      Collections.shuffle(ofCommit, random);
    }

    /** The next boot that ends by a kill. */
    Boot next() {
      int former = segments;
      boolean fresh = number % BOOTS_PER_POOL == 0;
      segments = fresh ? FIRST_SEGMENTS : segments + MORE_SEGMENTS;
      Optional<Step> step = nextStep(fresh);
      int occurrence = step.map(this::occurrence).orElse(1);
      return new Boot(number++, former, segments, fresh, step, occurrence, random.nextLong());
    }

    /** The boot after all kills, which only verifies. */
    Boot last() {
      return new Boot(number, segments, 0, true, Optional.empty(), 1, 0);
    }

    private Optional<Step> nextStep(boolean fresh) {
      if (!ofCommit.isEmpty()) {
        return Optional.of(ofCommit.remove(0));
      }
      moment = !moment;
      if (moment) {
        return Optional.empty();
      }
      if (others.isEmpty()) {
        others.addAll(List.of(Step.values()));
        Collections.shuffle(others, random);
        others.sort(Comparator.comparing(Step.ofCommit()::contains));
      }
      // A pool that starts anew has no former segments to open.
      int index = fresh && others.get(0) == Step.RECOVERING ? 1 : 0;
      return index < others.size() ? Optional.of(others.remove(index)) : Optional.empty();
    }

    /** Early, so that what was just created is at stake; a step of the opening comes but once. */
    private int occurrence(Step step) {
      return switch (step) {
        case SEGMENT_CREATED, FREE_BEGUN, FREED, FREE_ACKNOWLEDGED -> 1;
        case MARK_CLEARED, RECOVERING -> 1 + random.nextInt(3);
        default -> 1 + random.nextInt(6);
      };
    }
  }
}
