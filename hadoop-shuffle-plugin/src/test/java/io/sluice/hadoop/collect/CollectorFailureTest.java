package io.sluice.hadoop.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.hadoop.testing.LogLines;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.MapSide.Emitted;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.util.AuxiliaryServiceHelper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong is worded as stock words it, and leaves nothing behind. */
final class CollectorFailureTest extends CollectorFixture {
  private static final Emitted GOOD = new Emitted(new Text("k"), new BytesWritable(), 0);
  private static final List<Emitted> GOODS = List.of(GOOD);

  private static MapOutputCollector<Writable, Writable> stockCollector() {
    return new MapTask.MapOutputBuffer<>();
  }

  private SluiceMapOutputCollector<Writable, Writable> collector() {
    return new SluiceMapOutputCollector<>(node.environment());
  }

  private void assertFailsAsStock(Emitted bad) {
    MapSide stock = stock();
    List<Emitted> records = List.of(GOOD, bad);
    IOException expected =
        assertThrows(IOException.class, () -> stock.run(new MapTask.MapOutputBuffer<>(), records));
    IOException actual = assertThrows(IOException.class, () -> ours.run(collector(), records));
    assertEquals(expected.getMessage(), actual.getMessage());
  }

  @Test
  void keyOfAnotherType() {
    assertFailsAsStock(new Emitted(new IntWritable(1), new BytesWritable(), 0));
  }

  @Test
  void valueOfAnotherType() {
    assertFailsAsStock(new Emitted(new Text("k"), new Text("v"), 0));
  }

  @Test
  void partitionThatDoesNotExist() {
    assertFailsAsStock(new Emitted(new Text("k"), new BytesWritable(), 4));
    assertFailsAsStock(new Emitted(new Text("k"), new BytesWritable(), -1));
  }

  @Test
  void closeWithoutFlushGivesEverythingBack() throws Exception {
    job.setInt(MRJobConfig.IO_SORT_MB, 4);
    try (AutoCloseable closing = collecting(records(4000, 20, 4000))) {
      assertTrue(node.stats().memory().leasedBytes() > 0, "it has spilled: " + closing);
    }
    assertEquals(0, node.stats().memory().usedBytes());
  }

  private AutoCloseable collecting(List<Emitted> records) throws Exception {
    MapOutputCollector<Writable, Writable> collector = collector();
    collector.init(ours.context());
    for (Emitted record : records) {
      collector.collect(record.key(), record.value(), record.partition());
    }
    return collector::close;
  }

  @Test
  void fullPoolFailsTheAttemptAndSaysWhichAndHowFull() {
    job.setInt(MRJobConfig.IO_SORT_MB, 4);
    byte[] value = new byte[1 << 20];
    Emitted large = new Emitted(new Text("k"), new BytesWritable(value), 0);
    IOException e =
        assertThrows(
            IOException.class,
            () -> ours.run(collector(), java.util.Collections.nCopies(110, large)));
    assertEquals("Spill failed", e.getMessage());
    String cause = e.getCause().getMessage();
    assertTrue(cause.contains("memoryCapacityBytes"), cause);
  }

  private void assertDeclines(Map<String, String> environment, String reason) {
    try (LogLines log = new LogLines()) {
      ours.run(new SluiceMapOutputCollector<>(environment), List.of(GOOD));
      assertTrue(ours.reportedOutputBytes() > 0, "stock has left its file");
      assertEquals(1, log.with("Sluice leaves this map to the stock collector: ").size());
      assertEquals(1, log.with(reason).size());
    } catch (Exception e) {
      throw new AssertionError("the stock collector does not work", e);
    }
    assertEquals(1, SluiceCounter.FALLBACK_MAP_TO_STOCK.of(ours.reporter()).getValue());
  }

  @Test
  void declinesWithoutAService() {
    assertDeclines(Map.of(), "runs no auxiliary service sluice_shuffle");
  }

  @Test
  void declinesWithADeadService() throws IOException {
    Map<String, String> environment = new HashMap<>();
    AuxiliaryServiceHelper.setServiceDataIntoEnv(
        SluiceShuffleService.NAME,
        ByteBuffer.wrap(
            NodeMetadata.running(
                    Owner.ofThisProcess(),
                    new UUID(1, 2),
                    Path.of("/nowhere/control.sock"),
                    Path.of("/nowhere"),
                    1,
                    "plain")
                .encode()),
        environment);
    assertDeclines(environment, "/nowhere");
  }

  @Test
  void declinesInAProcessOfSomebodyElse() {
    ours.setShuffleSecret(null);
    assertDeclines(node.environment(), "local or uber mode");
  }

  @Test
  void declinesToEncryptWithNoKey() throws IOException {
    Credentials credentials = new Credentials(); // where stock looks for it
    TokenCache.setEncryptedSpillKey(new byte[16], credentials);
    UserGroupInformation.getCurrentUser().addCredentials(credentials);
    job.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
    ours.setEncryptedSpillKey(new byte[1]); // as for jobs that are not encrypted
    assertDeclines(node.environment(), "has got no key");
  }

  @Test
  void declinesToEncryptWithASecretThatCanBeGuessed() {
    job.setBoolean(MRConfig.SHUFFLE_SSL_ENABLED_KEY, true);
    ours.setShuffleSecret(new SecretKeySpec(new byte[15], "HmacSHA1"));
    assertDeclines(
        node.environment(),
        "has 120 bits, too few to encrypt map outputs with; set mapreduce.shuffle-key-length=256");
  }

  @Test
  void declinesWhereNobodyCouldReadItsOutput() {
    job.unset(MRConfig.SHUFFLE_CONSUMER_PLUGIN);
    assertDeclines(node.environment(), MRConfig.SHUFFLE_CONSUMER_PLUGIN);
  }

  /** Settings that stock refuses, though Sluice would have no use for some of them. */
  @ParameterizedTest
  @CsvSource({
    "mapreduce.task.io.sort.mb, 2048",
    "mapreduce.task.io.sort.mb, -1",
    "mapreduce.map.sort.spill.percent, 0",
    "mapreduce.map.sort.spill.percent, 1.01",
    "mapreduce.task.spill.files.count.limit, -2",
    "map.sort.class, java.lang.String",
    "map.sort.class, no.such.Sorter",
    "mapreduce.map.output.compress.codec, no.such.Codec",
    "mapreduce.job.combine.class, no.such.Combiner",
    "mapreduce.job.output.key.comparator.class, no.such.Comparator",
    "mapreduce.map.output.value.class, java.lang.Thread",
  })
  void settingThatStockRefuses(String name, String value) {
    job.setCompressMapOutput(true);
    job.set(name, value);
    Exception expected = assertThrows(Exception.class, () -> stock().run(stockCollector(), GOODS));
    Exception actual = assertThrows(Exception.class, () -> ours.run(collector(), GOODS));
    assertEquals(expected.toString(), actual.toString());
  }

  @Test
  void moreSpillsThanTheJobAllows() {
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
    job.setInt(MRJobConfig.SPILL_FILES_COUNT_LIMIT, 1);
    List<Emitted> records = records(6000, 20, 4000);
    IOException expected =
        assertThrows(IOException.class, () -> stock().run(stockCollector(), records));
    IOException actual = assertThrows(IOException.class, () -> ours.run(collector(), records));
    assertEquals(expected.getMessage(), actual.getMessage());
    assertEquals(expected.getCause().getMessage(), actual.getCause().getMessage());
  }
}
