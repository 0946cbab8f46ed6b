package io.sluice.mapreduce.testing;

import io.sluice.spill.merge.RunCursor;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The records of a run, all of them. */
public final class RunRecords {
  private static final int BLOCK_BYTES = 4096;

  private RunRecords() {}

  /** Reads {@code input} to its end, and closes it. */
  public static List<Pair> of(RunInput input) throws IOException {
    List<Pair> records = new ArrayList<>();
    try (RunCursor cursor = new RunCursor("test", input, BLOCK_BYTES)) {
      while (cursor.advance()) {
        records.add(
            Pair.copy(
                cursor.bytes(),
                cursor.keyOffset(),
                cursor.keyLength(),
                cursor.bytes(),
                cursor.valueOffset(),
                cursor.valueLength()));
      }
    }
    return records;
  }
}
