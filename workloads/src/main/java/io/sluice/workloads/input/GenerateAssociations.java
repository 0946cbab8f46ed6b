package io.sluice.workloads.input;

import java.util.SplittableRandom;

/**
 * Writes associations of twelve items, {@code A1;A2;...;A12}, in ascending order. Four associations
 * have the same first eleven items, on average.
 */
public final class GenerateAssociations extends Generator {
  private static final int ITEMS = 12;
  private static final int OF_SAME_BEGINNING = 4;

  /** The most between an item and the next one; the last one has more to choose from. */
  private static final int GAP = 1_000;

  private static final int LAST_GAP = 10_000;
  private static final int DIGITS = 6;

  public GenerateAssociations() {
    super("associations");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    long beginnings = Math.max(1, Long.parseLong(arguments[0]) / OF_SAME_BEGINNING);
    write(
        arguments,
        (number, random, lines) -> {
          SplittableRandom beginning = new SplittableRandom(random.nextLong(beginnings));
          int item = 0;
          for (int i = 1; i < ITEMS; i++) {
            item += 1 + beginning.nextInt(GAP);
            appendPadded(lines, item, DIGITS).append(';');
          }
          appendPadded(lines, item + 1 + random.nextInt(LAST_GAP), DIGITS).append('\n');
        });
  }
}
