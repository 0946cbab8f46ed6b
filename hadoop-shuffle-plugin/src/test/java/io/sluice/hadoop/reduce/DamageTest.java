package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.hadoop.collect.TestCollectors;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.MapSide.Emitted;
import io.sluice.hadoop.testing.ReduceSide;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.node.client.FetchFailedException;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.PartitionRange;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Flipped bits in a map's output, read by user code that stands no damage: what comes out is the
 * failure that names the map, never the user's, and the map that is run again is read.
 */
@Timeout(300)
final class DamageTest {
  private static final int REDUCE = 1;
  private static final int MAPS = 3;
  private static final int ROUNDS = 4;

  @TempDir static Path nodeDirectory;
  private static TestNode node;

  @TempDir Path taskDirectory;
  private final Random random = TestSeed.random();
  private final JobConf job = TestJob.conf();
  private CompressionCodec codec;

  /** Where the bit is flipped. */
  enum Place {
    FIRST_BYTE,
    MIDDLE,
    LAST_BYTE,
    ANYWHERE,
    BEFORE_A_BOUNDARY,
    BEHIND_A_BOUNDARY,
    FIRST_CHECKSUM,
    LAST_CHECKSUM
  }

  /** A comparator as users write them: good for what their maps write and for nothing else. */
  public static final class Strict extends Text.Comparator {
    @Override
    public int compare(byte[] a, int aStart, int aLength, byte[] b, int bStart, int bLength) {
      check(a, aStart, aLength);
      check(b, bStart, bLength);
      return super.compare(a, aStart, aLength, b, bStart, bLength);
    }
  }

  private static void check(byte[] bytes, int start, int length) {
    int header = length < 1 ? 1 : WritableUtils.decodeVIntSize(bytes[start]);
    boolean right = header <= length && vint(bytes, start) == length - header;
    for (int i = start + header; right && i < start + length; i++) {
      right = 'a' <= bytes[i] && bytes[i] <= 'z';
    }
    if (!right) {
      throw new IllegalStateException("user code met damage, in " + length + " bytes");
    }
  }

  private static int vint(byte[] bytes, int start) {
    try {
      return WritableComparator.readVInt(bytes, start);
    } catch (IOException e) {
      throw new IllegalStateException("user code met damage", e);
    }
  }

  @BeforeAll
  static void startNode() throws IOException {
    node = TestNode.start(nodeDirectory, 64 << 20);
  }

  @AfterAll
  static void stopNode() throws IOException {
    node.close();
  }

  @BeforeEach
  void configure() {
    job.set(MRConfig.LOCAL_DIR, taskDirectory.toString());
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(Text.class);
    job.setOutputKeyComparatorClass(Strict.class);
    job.setNumReduceTasks(3);
    job.setNumMapTasks(MAPS);
    job.set(JobSettings.TRANSPORT.name(), "tcp");
    job.set(JobSettings.FALLBACK_POLICY.name(), "never"); // nor are third attempts stock's
    job.setInt(JobSettings.REDUCE_BUFFER_MB.name(), 1); // windows of 64 KiB
  }

  @AfterEach
  void free() throws IOException {
    node.service().applicationStopped(TestJob.APPLICATION);
  }

  private Text letters(int length) {
    byte[] letters = new byte[length];
    for (int i = 0; i < length; i++) {
      letters[i] = (byte) ('a' + random.nextInt(26));
    }
    return new Text(letters);
  }

  /** Runs a map; how many records it has for the reducer. */
  private int map(TaskAttemptID map) throws Exception {
    List<Emitted> emitted = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      Text value = letters(random.nextInt(4) == 0 ? random.nextInt(4000) + 1 : 20);
      emitted.add(new Emitted(letters(20), value, random.nextInt(3)));
    }
    new MapSide(job, map).run(TestCollectors.in(node.environment()), emitted);
    return (int) emitted.stream().filter(each -> each.partition() == REDUCE).count();
  }

  @ParameterizedTest
  @CsvSource({
    "FIRST_BYTE, true, false",
    "FIRST_BYTE, false, true",
    "MIDDLE, true, false",
    "MIDDLE, false, false",
    "MIDDLE, false, true",
    "LAST_BYTE, true, false",
    "LAST_BYTE, false, false",
    "ANYWHERE, true, false",
    "ANYWHERE, false, false",
    "ANYWHERE, true, true",
    "BEFORE_A_BOUNDARY, true, false",
    "BEFORE_A_BOUNDARY, false, false",
    "BEHIND_A_BOUNDARY, true, false",
    "BEHIND_A_BOUNDARY, false, false",
    "FIRST_CHECKSUM, true, false",
    "FIRST_CHECKSUM, false, true",
    "LAST_CHECKSUM, true, false",
    "LAST_CHECKSUM, false, false"
  })
  void theMapIsNamedBeforeUserCodeMeetsTheDamage(Place place, boolean local, boolean compressed)
      throws Exception {
    if (compressed) {
      job.setCompressMapOutput(true);
      job.setMapOutputCompressorClass(DefaultCodec.class);
      codec = ReflectionUtils.newInstance(DefaultCodec.class, job);
    }
    List<TaskAttemptID> maps = new ArrayList<>();
    int[] records = new int[MAPS];
    for (int i = 0; i < MAPS; i++) {
      maps.add(TestJob.map(i, 0));
      records[i] = map(maps.get(i));
    }
    Map<String, String> environment = local ? node.environment() : Map.of();
    for (int round = 0; round < ROUNDS; round++) {
      int damaged = random.nextInt(MAPS);
      TaskAttemptID victim = maps.get(damaged);
      flip(victim, place);
      ReduceSide failing = reduce(maps);
      FetchFailedException e =
          assertThrows(FetchFailedException.class, () -> read(failing, environment));
      assertEquals(victim.toString(), e.outputId());
      assertEquals(List.of(victim), failing.reported);
      // The ApplicationMaster runs it again.
      TaskAttemptID successor = TestJob.map(damaged, victim.getId() + 1);
      records[damaged] = map(successor);
      maps.set(damaged, successor);
      ReduceSide next = reduce(maps);
      next.events.add(0, Events.ended(victim, Status.OBSOLETE));
      next.events.add(0, succeeded(victim));
      assertEquals(Arrays.stream(records).sum(), read(next, environment));
      assertEquals(List.of(), next.reported);
    }
  }

  private ReduceSide reduce(List<TaskAttemptID> maps) {
    ReduceSide reduce = new ReduceSide(job, TestJob.reduce(REDUCE, 0));
    maps.forEach(map -> reduce.events.add(succeeded(map)));
    return reduce;
  }

  private static TaskCompletionEvent succeeded(TaskAttemptID map) {
    return Events.succeeded(
        map, "127.0.0.1:" + (node.service().metadata().address().controlPort() - 1));
  }

  /** Reads as a reducer does that trusts its bytes; how many records there were. */
  private int read(ReduceSide reduce, Map<String, String> environment) throws Exception {
    ReduceShuffle shuffle = new ReduceShuffle(reduce.context(codec), environment);
    try {
      RawKeyValueIterator all = shuffle.run();
      int count = 0;
      while (all.next()) {
        deserialize(all.getKey());
        deserialize(all.getValue());
        count++;
      }
      return count;
    } finally {
      shuffle.close();
    }
  }

  private static void deserialize(DataInputBuffer bytes) {
    check(bytes.getData(), bytes.getPosition(), bytes.getLength() - bytes.getPosition());
  }

  private void flip(TaskAttemptID map, Place place) throws IOException {
    OutputLocations description =
        node.service()
            .readers()
            .describe(TestJob.APPLICATION, PartitionRange.one(REDUCE), List.of(map.toString()), 0);
    LocatedRun located = description.runs().get(map.toString()).get(0);
    int blocks = located.run().checksums().furtherCount() + 1;
    long lengthBytes = located.run().lengthBytes();
    int block = 1 + random.nextInt(Math.max(1, blocks - 1));
    long boundaryBytes = Math.min(lengthBytes - 1, block * (32L << 10));
    switch (place) {
      case FIRST_BYTE -> flipByte(description, located, 0);
      case MIDDLE -> flipByte(description, located, lengthBytes / 2);
      case LAST_BYTE -> flipByte(description, located, lengthBytes - 1);
      case ANYWHERE -> flipByte(description, located, random.nextInt((int) lengthBytes));
      case BEFORE_A_BOUNDARY -> flipByte(description, located, boundaryBytes - 1);
      case BEHIND_A_BOUNDARY -> flipByte(description, located, boundaryBytes);
      case FIRST_CHECKSUM -> flipChecksum(description, located, Math.min(1, blocks - 1));
      case LAST_CHECKSUM -> flipChecksum(description, located, blocks - 1);
      default -> throw new AssertionError(place);
    }
  }

  private void flipByte(OutputLocations description, LocatedRun located, long offsetBytes)
      throws IOException {
    long left = offsetBytes;
    for (Range range : located.location().ranges()) {
      if (left < range.lengthBytes()) {
        flipAt(description, range.segmentId(), range.offsetBytes() + left);
        return;
      }
      left -= range.lengthBytes();
    }
  }

  /** It lies behind the data, in the index of the output. */
  private void flipChecksum(OutputLocations description, LocatedRun located, int block)
      throws IOException {
    Range last = located.location().ranges().get(located.location().ranges().size() - 1);
    Path segment = description.segments().get(last.segmentId()).segment().path();
    try (FileChannel file = FileChannel.open(segment, StandardOpenOption.READ)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
      file.read(bytes, 0);
      for (int offset = (int) last.endBytes(); offset + 4 <= bytes.limit(); offset++) {
        if (bytes.getInt(offset) == located.run().checksums().crc32c(block)) {
          flipAt(description, last.segmentId(), offset + random.nextInt(4));
          return;
        }
      }
    }
    throw new AssertionError("no checksum of block " + block + " of " + located);
  }

  private void flipAt(OutputLocations description, int segmentId, long offsetBytes)
      throws IOException {
    Path segment = description.segments().get(segmentId).segment().path();
    try (FileChannel file =
        FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(one, offsetBytes);
      one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(8))).flip();
      file.write(one, offsetBytes);
    }
  }
}
