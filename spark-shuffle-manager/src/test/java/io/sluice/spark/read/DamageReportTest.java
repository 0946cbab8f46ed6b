package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spark.pool.PoolBlock.DamagedBlockException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.apache.spark.FetchFailed;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

class DamageReportTest {
  private static final BlockManagerId HERE = BlockManagerId.apply("1", "here", 1, Option.empty());
  private static final BlockManagerId THERE = BlockManagerId.apply("2", "there", 2, Option.empty());

  private static DamageReport report() {
    DamageReport report = new DamageReport();
    var watched =
        report.watch(
            CollectionConverters.asScala(
                List.of(
                        peer(HERE, List.of(block(70, 0), block(71, 1))),
                        peer(THERE, List.of(block(80, 2), block(81, 3))))
                    .iterator()));
    assertEquals(2, watched.size());
    return report;
  }

  private static Tuple3<BlockId, Object, Object> block(long mapId, int mapIndex) {
    return new Tuple3<>(new ShuffleBlockId(5, mapId, 9), 100L, mapIndex);
  }

  private static Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> peer(
      BlockManagerId id, List<Tuple3<BlockId, Object, Object>> blocks) {
    return new Tuple2<>(id, CollectionConverters.asScala(blocks).toSeq());
  }

  private static InputStream failing(IOException failure) {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        throw failure;
      }

      @Override
      public int read(byte[] destination, int offset, int lengthBytes) throws IOException {
        throw failure;
      }
    };
  }

  @Test
  void damageIsAFetchFailureOfTheMapThatWroteTheBlock() {
    IOException damage = new DamagedBlockException(new IOException("CRC32C differs"));
    for (BlockId id :
        List.of(new ShuffleBlockId(5, 81, 9), new ShuffleBlockBatchId(5, 81, 9, 12))) {
      for (IOException thrown : List.of(damage, new IOException("while decoding", damage))) {
        InputStream stream = report().over(id, failing(thrown));
        for (int way = 0; way < 2; way++) {
          boolean single = way == 0;
          FetchFailedException e =
              assertThrows(
                  FetchFailedException.class,
                  () -> {
                    if (single) {
                      stream.read();
                    } else {
                      stream.readAllBytes();
                    }
                  });
          assertSame(thrown, e.getCause());
          FetchFailed reason = assertInstanceOf(FetchFailed.class, e.toTaskFailedReason());
          assertEquals(THERE, reason.bmAddress());
          assertEquals(5, reason.shuffleId());
          assertEquals(81, reason.mapId());
          assertEquals(3, reason.mapIndex());
          assertEquals(9, reason.reduceId());
        }
      }
    }
  }

  @Test
  void otherFailuresAndGoodBytesStayWhatTheyAre() throws IOException {
    IOException other = new IOException("the pool of this executor is closed");
    ShuffleBlockId id = new ShuffleBlockId(5, 70, 9);
    assertSame(
        other,
        assertThrows(IOException.class, () -> report().over(id, failing(other)).readAllBytes()));
    byte[] bytes = {1, 2, 3};
    assertArrayEquals(bytes, report().over(id, new ByteArrayInputStream(bytes)).readAllBytes());
  }
}
