package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.collect.TestCollectors;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.MapSide.Emitted;
import io.sluice.hadoop.testing.ReduceSide;
import io.sluice.hadoop.testing.StockHandler;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.mapreduce.testing.Pair;
import io.sluice.node.client.FetchFailedException;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.RunEncoder;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Maps and a reduce of an encrypted job over a real node service. The values carry a canary, which
 * is looked for in every file of the node and of the tasks.
 */
@Timeout(300)
final class EncryptedShuffleTest {
  private static final int REDUCE = 1;
  private static final byte[] SPILL_KEY = "the spill key 16".getBytes(StandardCharsets.UTF_8);
  private static final String CANARY = "a canary of 32 bytes, in a value";

  @TempDir Path nodeDirectory;
  @TempDir Path taskDirectory;
  private final Random random = TestSeed.random();
  private final JobConf job = TestJob.conf();
  private final List<Pair> expected = new ArrayList<>();
  private CompressionCodec codec;
  private TestNode node;
  private ReduceSide reduce;
  private long allocatedBytes;

  @BeforeEach
  void start() throws IOException {
    allocatedBytes = OffHeap.allocatedBytes();
    node = TestNode.start(nodeDirectory, 64 << 20);
    job.set(MRConfig.LOCAL_DIR, taskDirectory.toString());
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(Text.class);
    job.setNumReduceTasks(3);
    job.set(JobSettings.TRANSPORT.name(), "tcp");
    job.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
  }

  @AfterEach
  void nothingLeaks() throws IOException {
    node.close();
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (OffHeap.allocatedBytes() != allocatedBytes && System.nanoTime() - deadlineNs < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    assertEquals(allocatedBytes, OffHeap.allocatedBytes(), "off-heap memory");
  }

  private static <T extends Task> T withKey(T task) {
    task.setEncryptedSpillKey(SPILL_KEY);
    return task;
  }

  private List<Emitted> words(int count) {
    List<Emitted> words = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[random.nextInt(200)];
      Arrays.fill(value, (byte) 'v');
      Text word = new Text("word " + random.nextInt(5000));
      words.add(
          new Emitted(
              word,
              new Text(CANARY + new String(value, StandardCharsets.US_ASCII)),
              random.nextInt(3)));
    }
    return words;
  }

  private static byte[] serialized(Writable writable) throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    writable.write(out);
    return Arrays.copyOf(out.getData(), out.getLength());
  }

  private void map(TaskAttemptID id, int records) throws Exception {
    List<Emitted> words = words(records);
    for (Emitted word : words) {
      if (word.partition() == REDUCE) {
        expected.add(new Pair(serialized(word.key()), serialized(word.value())));
      }
    }
    JobConf mapJob = new JobConf(job);
    mapJob.set(MRConfig.LOCAL_DIR, taskDirectory.resolve(id.toString()).toString());
    withKey(new MapSide(mapJob, id)).run(TestCollectors.in(node.environment()), words);
  }

  private void shuffle(int maps, int records) throws Exception {
    job.setNumMapTasks(maps);
    reduce = withKey(new ReduceSide(job, TestJob.reduce(REDUCE, 0)));
    for (int i = 0; i < maps; i++) {
      map(TestJob.map(i, 0), records);
      succeeded(i);
    }
  }

  private void succeeded(int map) {
    int offset = NodeSettings.PORT_OFFSET.get(job::getTrimmed);
    int port = node.service().metadata().address().controlPort() - offset;
    reduce.events.add(Events.succeeded(TestJob.map(map, 0), "127.0.0.1:" + port));
  }

  private List<Pair> run(boolean local) throws Exception {
    ReduceShuffle shuffle =
        new ReduceShuffle(reduce.context(codec), local ? node.environment() : Map.of());
    try {
      List<Pair> records = ReduceSide.drain(shuffle.run());
      assertNoCanary();
      shuffle.close();
      return records;
    } catch (IOException e) {
      shuffle.close();
      throw e;
    }
  }

  private void assertDeliversAll(boolean local) throws Exception {
    List<Pair> actual = run(local);
    Collections.sort(actual);
    Collections.sort(expected);
    assertEquals(expected, actual);
    assertTrue(counter(SluiceCounter.DECRYPTED_BYTES) > 0, "decrypted");
    assertEquals(0, counter(SluiceCounter.FORGED_RUNS));
  }

  private long counter(SluiceCounter counter) {
    return counter.of(reduce.reporter()).getValue();
  }

  private boolean hasCanary() throws IOException {
    byte[] canary = CANARY.getBytes(StandardCharsets.US_ASCII);
    String wanted = new String(canary, StandardCharsets.ISO_8859_1);
    for (Path directory : List.of(nodeDirectory, taskDirectory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(wanted)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private void assertNoCanary() throws IOException {
    assertFalse(hasCanary(), "records lie somewhere in plain text");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void recordsArriveAndNothingElseShowsThem(boolean local) throws Exception {
    shuffle(5, 2000);
    assertDeliversAll(local);
  }

  /** Else the others prove nothing. */
  @Test
  void withoutEncryptionTheCanaryIsFound() throws Exception {
    job.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false);
    shuffle(1, 2000);
    assertTrue(hasCanary());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void roundsOfBothSidesAreEncryptedToo(boolean local) throws Exception {
    job.setInt(CommonConfigurationKeys.IO_COMPRESSION_CODEC_SNAPPY_BUFFERSIZE_KEY, 24 << 20);
    job.setCompressMapOutput(true);
    job.setMapOutputCompressorClass(SnappyCodec.class); // two runs at once
    codec = ReflectionUtils.newInstance(SnappyCodec.class, job);
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
    job.setInt(MRJobConfig.IO_SORT_FACTOR, 2);
    shuffle(3, 40_000);
    assertDeliversAll(local);
    assertTrue(counter(SluiceCounter.MERGE_ROUNDS) > 0, "rounds");
    assertTrue(counter(SluiceCounter.ENCRYPTED_BYTES) > 0, "staged");
  }

  /** A map that ran where there is no service, beside those that did not. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void stocksOutputsAreStagedEncrypted(boolean local) throws Exception {
    UserGroupInformation user = UserGroupInformation.createRemoteUser("task");
    Credentials credentials = new Credentials();
    TokenCache.setEncryptedSpillKey(SPILL_KEY, credentials);
    user.addCredentials(credentials);
    shuffle(2, 1000);
    job.setNumMapTasks(3);
    reduce = withKey(new ReduceSide(job, TestJob.reduce(REDUCE, 0)));
    succeeded(0);
    succeeded(1);
    Text key = new Text("word of stock");
    Text value = new Text(CANARY);
    Pair pair = new Pair(serialized(key), serialized(value));
    expected.add(pair);
    byte[] body = user.doAs((PrivilegedExceptionAction<byte[]>) () -> stocks(pair));
    try (StockHandler stock =
        new StockHandler(exchange -> StockHandler.reply(exchange, body, body.length))) {
      reduce.events.add(
          Events.succeeded(TestJob.map(2, 0), stock.url().substring("http://".length())));
      user.doAs(
          (PrivilegedExceptionAction<Void>)
              () -> {
                assertDeliversAll(local);
                return null;
              });
    }
    assertEquals(1, counter(SluiceCounter.FALLBACK_FETCH_TO_HTTP));
    assertTrue(counter(SluiceCounter.ENCRYPTED_BYTES) > 0, "staged");
  }

  private byte[] stocks(Pair pair) throws IOException {
    ByteArrayOutputStream records = new ByteArrayOutputStream();
    RunEncoder encoder = new RunEncoder(records::write);
    encoder.append(pair.key(), 0, pair.key().length, pair.value(), 0, pair.value().length);
    encoder.finish();
    CRC32 crc = new CRC32();
    crc.update(records.toByteArray());
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    FSDataOutputStream out =
        CryptoUtils.wrapIfNecessary(job, new FSDataOutputStream(stored, null), false);
    out.write(records.toByteArray());
    out.writeInt((int) crc.getValue());
    out.close();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    DataOutputStream header = new DataOutputStream(body);
    Text.writeString(header, TestJob.map(2, 0).toString());
    WritableUtils.writeVLong(header, stored.size());
    WritableUtils.writeVLong(header, stored.size());
    WritableUtils.writeVInt(header, REDUCE);
    stored.writeTo(header);
    return body.toByteArray();
  }

  /** The key of a job over TLS, with no encrypted spills. */
  @Test
  void aLongShuffleSecretDoesToo() throws Exception {
    job.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false);
    job.setBoolean(MRConfig.SHUFFLE_SSL_ENABLED_KEY, true);
    shuffle(2, 1000);
    assertDeliversAll(true);
  }

  private enum Cheat {
    PLAIN,
    ANOTHER_KEY
  }

  /** Its lengths and CRCs are right, and it is not what a task of this job wrote. */
  @ParameterizedTest
  @EnumSource(Cheat.class)
  void whatNoTaskOfTheJobEncryptedIsRefused(Cheat cheat) throws Exception {
    shuffle(1, 1000);
    job.setNumMapTasks(2);
    reduce = withKey(new ReduceSide(job, TestJob.reduce(REDUCE, 0)));
    succeeded(0);
    succeeded(1);
    TaskAttemptID forged = TestJob.map(1, 0);
    JobConf cheating = new JobConf(job);
    if (cheat == Cheat.PLAIN) {
      cheating.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false);
    }
    cheating.set(MRConfig.LOCAL_DIR, taskDirectory.resolve("cheat").toString());
    MapSide map = new MapSide(cheating, forged);
    map.setEncryptedSpillKey("another key of 1".getBytes(StandardCharsets.UTF_8));
    map.run(TestCollectors.in(node.environment()), words(1000));
    IOException e = assertThrows(IOException.class, () -> run(true));
    assertTrue(e instanceof FetchFailedException, e.toString());
    assertTrue(e.getMessage().contains("is not what a task of this job encrypted"), e.toString());
    assertEquals(List.of(forged), reduce.reported, "no oftener than what may be this host's");
    assertEquals(1, counter(SluiceCounter.FORGED_RUNS));
  }
}
