package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.hadoop.node.ServingNode.FileExpiry;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.node.wire.FilesId;
import io.sluice.node.wire.JobSecret;
import io.sluice.rdma.testing.Await;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.Lease;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class FileExpiryTest {
  private static final String APPLICATION = "application_1_0001";
  private static final JobSecret SECRET = new JobSecret(new byte[] {1});

  @TempDir Path directory;

  private static void commit(TestNode node, String applicationId) throws IOException {
    try (Lease lease = node.service().openLease(applicationId, SECRET);
        OutputWriter writer = new OutputWriter(lease, new PlainMedium(), 1, 1 << 20)) {
      writer.beginRun(0);
      writer.write(new byte[1000], 0, 1000);
      writer.endRun(1000, 1);
      writer.commit(new OutputId(applicationId, "output"));
    }
  }

  @Test
  void filesThatNobodyAsksForAreFreedAndAnApplicationsOutputsAreNot() throws Exception {
    String files = FilesId.of(Owner.ofThisProcess(), "0123456789abcdef0123456789abcdef");
    try (TestNode node = TestNode.start(directory, 8 << 20)) {
      commit(node, files);
      commit(node, APPLICATION);
      FileExpiry forgotten = FileExpiry.start(node.service(), 1);
      try (forgotten) {
        Await.until(
            "the end of the files", () -> node.service().applications().ownerOf(files).isEmpty());
      }
      assertEquals(List.of(), outputIds(node, files));
      assertEquals(List.of("output"), outputIds(node, APPLICATION));
    }
  }

  private static List<String> outputIds(TestNode node, String applicationId) {
    return node.service().store().outputs(applicationId).stream()
        .map(output -> output.id().outputId())
        .toList();
  }
}
