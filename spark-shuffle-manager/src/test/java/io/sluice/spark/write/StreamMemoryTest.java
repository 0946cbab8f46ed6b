package io.sluice.spark.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.PoolShuffleManager;
import io.sluice.spark.ShuffledRecords;
import io.sluice.spark.SluiceShuffleManager;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Tuple2;

/** Codecs with streams that take much memory, for each partition. */
@ExtendWith(ShuffledRecords.class)
@Tag("slow")
class StreamMemoryTest {
  private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";
  private static final String JAVA = "org.apache.spark.serializer.JavaSerializer";
  private static final int RECORDS = 2_000;

  @TempDir private Path pools;

  private SparkConf conf(String serializer, String codec, String key, String value) {
    return new SparkConf(false)
        .setMaster("local[1]")
        .setAppName("StreamMemoryTest")
        .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.broadcast.compress", "false")
        .set("spark.serializer", serializer)
        .set("spark.io.compression.codec", codec)
        .set("spark.io.compression." + key, value)
        .set("spark.shuffle.manager", SluiceShuffleManager.class.getName())
        .set("spark.sluice.pool.dir", pools.toString())
        .set("spark.sluice.pool.capacity", "16m")
        .set("spark.sluice.pool.segmentSize", "1m");
  }

  /** The streams together would take 1.6 GB and more; those of the last two rows, some MB. */
  @ParameterizedTest
  @CsvSource({
    KRYO + ",lz4,lz4.blockSize,4m,200,0",
    KRYO + ",snappy,snappy.blockSize,4m,200,0",
    KRYO + ",zstd,zstd.level,19,20,0",
    JAVA + ",lz4,lz4.blockSize,4m,40,1",
    JAVA + ",zstd,zstd.level,19,6,1",
    KRYO + ",lz4,lz4.blockSize,32k,200,0",
    JAVA + ",snappy,snappy.blockSize,32k,200,0",
  })
  void theirStreamsAreOnlyOpenedWhereTheyFit(
      String serializer, String codec, String key, String value, int partitions, int fallbacks) {
    try (JavaSparkContext context = new JavaSparkContext(conf(serializer, codec, key, value))) {
      long count =
          context
              .parallelize(IntStream.range(0, RECORDS).boxed().toList(), 1)
              .mapToPair(i -> new Tuple2<>(i, new byte[100]))
              .partitionBy(new HashPartitioner(partitions))
              .count();
      assertEquals(RECORDS, count);
      Map<String, Long> left =
          PoolShuffleManager.behind(SparkEnv.get().shuffleManager())
              .orElseThrow()
              .counters()
              .fallbacks();
      long writers = left.getOrDefault("a task without memory for a stream of each partition", 0L);
      assertEquals(fallbacks, writers, left.toString());
    }
  }

  /** As Spark SQL hands over the same row again and again: no writer may keep it. */
  @Test
  void aRecordThatIsUsedAgainIsRightWhereStocksWriterTakesTheTask() {
    try (JavaSparkContext context =
        new JavaSparkContext(conf(Uncut.class.getName(), "lz4", "lz4.blockSize", "4m"))) {
      long sum =
          context
              .parallelize(IntStream.range(0, RECORDS).boxed().toList(), 1)
              .mapPartitionsToPair(StreamMemoryTest::inOneArray)
              .partitionBy(new HashPartitioner(40))
              .map(pair -> pair._2()[0])
              .reduce(Long::sum);
      assertEquals((long) RECORDS * (RECORDS - 1) / 2, sum);
      Map<String, Long> left =
          PoolShuffleManager.behind(SparkEnv.get().shuffleManager())
              .orElseThrow()
              .counters()
              .fallbacks();
      assertEquals(
          1, left.get("a task without memory for a stream of each partition"), left.toString());
    }
  }

  /** A serializer with records that cannot be cut out of its streams, as encrypted ones cannot. */
  public static final class Uncut extends KryoSerializer {
    private static final long serialVersionUID = 1;

    /** Made by Spark. */
    public Uncut(SparkConf conf) {
      super(conf);
    }

    @Override
    public boolean supportsRelocationOfSerializedObjects() {
      return false;
    }
  }

  private static Iterator<Tuple2<Integer, long[]>> inOneArray(Iterator<Integer> numbers) {
    long[] value = new long[1];
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return numbers.hasNext();
      }

      @Override
      public Tuple2<Integer, long[]> next() {
        int number = numbers.next();
        value[0] = number;
        return new Tuple2<>(number, value);
      }
    };
  }

  @Test
  void estimatesFollowTheSettings() {
    SparkConf conf = new SparkConf(false).set("spark.io.compression.codec", "lz4");
    JavaSerializer java = new JavaSerializer(conf);
    long byDefaultBytes = StreamMemory.bytes(conf, java);
    assertTrue(byDefaultBytes < 128 << 10, byDefaultBytes + " bytes");
    assertTrue(StreamMemory.bytes(conf, new KryoSerializer(conf)) > byDefaultBytes);
    conf.set("spark.io.compression.lz4.blockSize", "4m");
    assertTrue(StreamMemory.bytes(conf, java) >= 8 << 20);
    conf.set("spark.shuffle.compress", "false");
    assertTrue(StreamMemory.bytes(conf, java) < 128 << 10);
    conf.set("spark.shuffle.compress", "true").set("spark.io.compression.codec", "zstd");
    conf.set("spark.io.compression.zstd.level", "-5");
    assertTrue(StreamMemory.bytes(conf, java) < 4 << 20);
    conf.set("spark.io.compression.zstd.level", "22");
    assertTrue(StreamMemory.bytes(conf, java) > 700 << 20);
    conf.set("spark.io.compression.codec", "lzf");
    assertTrue(StreamMemory.bytes(conf, java) < 512 << 10);
  }
}
