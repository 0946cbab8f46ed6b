package io.sluice.spill.merge;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.record.RecordFormat;
import io.sluice.spill.sort.BytewiseOrder;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Times a merge of checksummed runs by hand; no test. Arguments: runs, records, block, rounds. */
final class MergeTiming {
  private MergeTiming() {}

  public static void main(String[] args) throws Exception {
    int runCount = Integer.parseInt(args[0]);
    int records = Integer.parseInt(args[1]);
    int blockBytes = Integer.parseInt(args[2]);
    List<byte[]> runs = new ArrayList<>();
    List<BlockChecksums> checksums = new ArrayList<>();
    Random random = new Random(42);
    byte[] record = new byte[100];
    for (int r = 0; r < runCount; r++) {
      try (SortChunks pool = new SortChunks(1L << 30, 1 << 20);
          RecordBuffer buffer = new RecordBuffer(pool, 1, new BytewiseOrder())) {
        for (int i = 0; i < records / runCount; i++) {
          random.nextBytes(record);
          buffer.append(record, 0, 10, 90, 0);
        }
        ByteBuffer run = ByteBuffer.allocate((int) buffer.dataBytes() + 2);
        buffer.sort().copyEncoded(0, buffer.recordCount(), run);
        RecordFormat.putEnd(run, run.position());
        runs.add(run.array());
        checksums.add(BlockChecksums.of(ByteBuffer.wrap(run.array())));
      }
    }
    for (int round = 0; round < Integer.parseInt(args[3]); round++) {
      long start = System.nanoTime();
      List<RunCursor> cursors = new ArrayList<>();
      for (int r = 0; r < runCount; r++) {
        RunInput input =
            VerifiedRunInputTest.open(runs.get(r), runs.get(r).length, checksums.get(r));
        cursors.add(new RunCursor("r" + r, input, blockBytes));
      }
      long sum = 0;
      int count = 0;
      try (KWayMerge merge = new KWayMerge(cursors, new BytewiseOrder())) {
        while (merge.next()) {
          sum += merge.keyBytes()[merge.keyOffset()] + merge.valueLength();
          count++;
        }
        double ms = (System.nanoTime() - start) / 1e6;
        System.out.printf(
            "round %d: %d runs, %d records, %d MB in %.1f ms (%d)%n",
            round, runCount, count, merge.consumedBytes() >> 20, ms, sum);
      }
    }
  }
}
