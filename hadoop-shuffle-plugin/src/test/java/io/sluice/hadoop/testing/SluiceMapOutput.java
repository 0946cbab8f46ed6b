package io.sluice.hadoop.testing;

import io.sluice.mapreduce.merge.RunCodec;
import io.sluice.mapreduce.testing.Pair;
import io.sluice.mapreduce.testing.RunRecords;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.PartitionRange;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentMapper;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.TaskAttemptID;

/** Reads what our collector has committed to a node's pool. */
public final class SluiceMapOutput {
  private static final int BLOCK_BYTES = 4096;

  private SluiceMapOutput() {}

  /** The runs of a partition, each with its records in order. */
  public static List<List<Pair>> read(
      TestNode node, TaskAttemptID map, int partition, CompressionCodec codec) throws Exception {
    OutputLocations description =
        node.service()
            .readers()
            .describe(
                TestJob.APPLICATION, PartitionRange.one(partition), List.of(map.toString()), 0);
    RunCodec runCodec = new RunCodec(codec);
    List<List<Pair>> runs = new ArrayList<>();
    try (SegmentMapper mapper =
        new SegmentMapper(SegmentOpener.BY_NAME, id -> description.segments().get(id).segment())) {
      for (LocatedRun located : description.runs().get(map.toString())) {
        Run run = located.run();
        RunInput stored =
            new VerifiedRunInput(
                "test",
                new MappedRunInput(
                    mapper::map, located.location().ranges(), run.lengthBytes(), BLOCK_BYTES),
                run.lengthBytes(),
                run.checksums());
        List<Pair> records =
            RunRecords.of(
                runCodec.open("test", stored, runCodec.form(run.chunkBytes()), run.chunkBytes()));
        if (records.size() != run.records()) {
          throw new AssertionError(run + " has " + records.size() + " records");
        }
        runs.add(records);
      }
    }
    return runs;
  }
}
