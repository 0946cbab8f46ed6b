package io.sluice.workloads.input;

import io.sluice.workloads.run.Program;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.ToolRunner;

/**
 * Writes associations of twelve items, {@code A1;A2;...;A12}, in ascending order. There are four
 * times as many as there are different first eleven items.
 */
public final class GenerateAssociations extends Program {
  private static final int ITEMS = 12;
  private static final int OF_SAME_BEGINNING = 4;

  /** Between an item and the next one; the last one has more to choose from. */
  private static final int GAP = 1_000;

  private static final int LAST_GAP = 10_000;

  /** So that texts are in the order of the numbers. */
  private static final int DIGITS = 6;

  public GenerateAssociations() {
    super("associations", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    long count = Long.parseLong(arguments[0]);
    long beginnings = Math.max(1, count / OF_SAME_BEGINNING);
    new SeededFiles(getConf())
        .write(
            new Path(arguments[1]),
            count,
            (number, random, lines) -> {
              SplittableRandom beginning = new SplittableRandom(random.nextLong(beginnings));
              int item = 0;
              for (int i = 1; i < ITEMS; i++) {
                item += 1 + beginning.nextInt(GAP);
                append(lines, item);
                lines.append(';');
              }
              append(lines, item + 1 + random.nextInt(LAST_GAP));
              lines.append('\n');
            });
  }

  private static void append(StringBuilder lines, int item) {
    String digits = Integer.toString(item);
    lines.append("0".repeat(DIGITS - digits.length())).append(digits);
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new GenerateAssociations(), arguments));
  }
}
