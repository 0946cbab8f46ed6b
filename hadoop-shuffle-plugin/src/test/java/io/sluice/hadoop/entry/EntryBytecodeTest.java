package io.sluice.hadoop.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.collect.SluiceMapOutputCollector;
import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.hadoop.shuffle.SluiceShuffleConsumer;
import io.sluice.rdma.testing.ClassFiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What Hadoop loads by name, and every class of ours that it links to, loads on Java 8. */
final class EntryBytecodeTest {
  @Test
  void everyClassThatAnEntryLinksToIsForJava8() throws IOException {
    Map<String, Integer> versions =
        ClassFiles.versions(
            List.of(
                SluiceMapOutputCollector.class.getName(),
                SluiceShuffleConsumer.class.getName(),
                SluiceShuffleService.class.getName()));
    assertTrue(versions.containsKey("io/sluice/hadoop/SluiceCounter"), versions.toString());
    versions.values().removeIf(found -> found <= ClassFiles.JAVA_8);
    assertEquals(Map.of(), versions);
  }
}
