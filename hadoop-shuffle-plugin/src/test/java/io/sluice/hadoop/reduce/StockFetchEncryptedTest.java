package io.sluice.hadoop.reduce;

import static io.sluice.hadoop.testing.StockHandler.reply;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.testing.StockHandler;
import io.sluice.hadoop.testing.TestJob;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stock map's output as it is with {@code mapreduce.job.encrypted-intermediate-data}. */
@Timeout(300)
final class StockFetchEncryptedTest {
  private static final int REDUCE = 3;
  private static final TaskAttemptID MAP = TestJob.map(5, 1);

  /** Offset and IV. */
  private static final int PADDING_BYTES = 8 + 16;

  private final JobConf job = TestJob.conf();
  private final UserGroupInformation task = UserGroupInformation.createRemoteUser("task");
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private long storedBytes;
  private long rawBytes;

  @BeforeEach
  void encrypt() {
    job.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
    Credentials credentials = new Credentials();
    TokenCache.setEncryptedSpillKey(
        "the spill key 16".getBytes(StandardCharsets.UTF_8), credentials);
    task.addCredentials(credentials);
  }

  /** As stock's map task writes the second of its partitions. */
  private byte[] partition(byte[] records) throws IOException, InterruptedException {
    return task.doAs(
        (PrivilegedExceptionAction<byte[]>)
            () -> {
              int firstBytes = 101;
              ByteArrayOutputStream bytes = new ByteArrayOutputStream();
              FSDataOutputStream file = new FSDataOutputStream(bytes, null);
              file.write(new byte[firstBytes]);
              FSDataOutputStream encrypted = CryptoUtils.wrapIfNecessary(job, file, false);
              encrypted.write(records);
              CRC32 crc = new CRC32();
              crc.update(records);
              encrypted.writeInt((int) crc.getValue());
              encrypted.close();
              return Arrays.copyOfRange(bytes.toByteArray(), firstBytes, bytes.size());
            });
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static byte[] body(byte[] partition, long partLength, long rawLength) throws IOException {
    return body(MAP, partition, partLength, rawLength);
  }

  private static byte[] body(TaskAttemptID map, byte[] partition, long partLength, long rawLength)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    Text.writeString(out, map.toString());
    WritableUtils.writeVLong(out, partLength);
    WritableUtils.writeVLong(out, rawLength);
    WritableUtils.writeVInt(out, REDUCE);
    out.write(partition);
    return bytes.toByteArray();
  }

  private long fetch(byte[] body, int sentBytes) throws IOException, InterruptedException {
    return fetch(body, sentBytes, List.of(MAP));
  }

  /** Returns the bytes of the last one that travelled. */
  private long fetch(byte[] body, int sentBytes, List<TaskAttemptID> maps)
      throws IOException, InterruptedException {
    try (StockHandler handler = new StockHandler(exchange -> reply(exchange, body, sentBytes));
        StockFetch fetch = new StockFetch(job, TestJob.SECRET)) {
      return task.doAs(
          (PrivilegedExceptionAction<Long>)
              () -> {
                long travelledBytes = 0;
                try (StockReply reply = fetch.ask(handler.url(), maps, REDUCE)) {
                  for (TaskAttemptID map : maps) {
                    assertEquals(map, reply.next());
                    travelledBytes = reply.copyTo(new Received());
                  }
                }
                return travelledBytes;
              });
    }
  }

  private final class Received implements StockReply.Sink {
    @Override
    public void begin(long stored, long raw) {
      storedBytes = stored;
      rawBytes = raw;
    }

    @Override
    public void write(byte[] from, int offset, int length) {
      received.write(from, offset, length);
    }
  }

  private FetchException assertFails(byte[] body, int sentBytes) {
    FetchException e = assertThrows(FetchException.class, () -> fetch(body, sentBytes));
    assertEquals(Kind.READ, e.kind(), e.toString());
    assertNotEquals(FetchException.Scope.NODE, e.scope(), e.toString());
    return e;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 1000, 128 << 10, 3_000_000})
  void isDecrypted(int length) throws Exception {
    byte[] records = random(length);
    byte[] partition = partition(records);
    assertEquals(PADDING_BYTES + length + 4, partition.length);
    byte[] body = body(partition, partition.length, PADDING_BYTES + length + 2);
    assertEquals(partition.length, fetch(body, body.length));
    assertArrayEquals(records, received.toByteArray());
    assertEquals(length, storedBytes, "what follows without offset, IV and CRC");
    assertEquals(length + 2, rawBytes);
  }

  /** A decrypted partition takes nothing of the next one, and leaves the reply open. */
  @Test
  void severalOutputsOfOneRequest() throws Exception {
    List<TaskAttemptID> maps = List.of(MAP, TestJob.map(6, 0), TestJob.map(7, 0));
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    for (TaskAttemptID map : maps) {
      byte[] records = random(20_000 + map.getTaskID().getId());
      byte[] partition = partition(records);
      body.write(body(map, partition, partition.length, partition.length));
      expected.write(records);
    }
    fetch(body.toByteArray(), body.size(), maps);
    assertArrayEquals(expected.toByteArray(), received.toByteArray());
  }

  @Test
  void damagedByteIsNoticed() throws Exception {
    byte[] partition = partition(random(60));
    partition[PADDING_BYTES + 7] ^= 4;
    byte[] body = body(partition, partition.length, partition.length);
    assertTrue(assertFails(body, body.length).getMessage().startsWith("checksum of "));
  }

  @Test
  void offsetThatIsNone() throws Exception {
    byte[] partition = partition(random(60));
    ByteBuffer.wrap(partition).putLong(-1001);
    byte[] body = body(partition, partition.length, partition.length);
    assertFails(body, body.length);
  }

  @Test
  void cutAnywhereIsNoticed() throws Exception {
    byte[] partition = partition(random(60));
    byte[] body = body(partition, partition.length, partition.length);
    int headerBytes = body.length - partition.length;
    for (int sent = headerBytes; sent < body.length; sent++) {
      assertTrue(
          assertFails(body, sent)
              .getMessage()
              .matches(".* ends after \\d+ of " + partition.length + " bytes of " + MAP));
    }
  }

  @Test
  void lengthsWithoutRoomForTheIv() throws Exception {
    byte[] partition = partition(new byte[0]);
    assertFails(body(partition, PADDING_BYTES + 3, 100), 40);
    assertFails(body(partition, 100, PADDING_BYTES - 1), 40);
  }
}
