package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchException.Scope;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.CryptoUtils;

/**
 * The reply of a stock ShuffleHandler to one request: one partition of each map output that was
 * asked for, in any order.
 *
 * <pre>
 * for each output:
 *   string  map id        (vint length, bytes)
 *   vlong   part length   bytes that follow, with the checksum
 *   vlong   raw length    bytes before compression, without it
 *   vint    reduce
 *   part length bytes: IFile stream (compressed as a whole if the job does so), int32 CRC-32
 *     where intermediate data is encrypted: int64 offset, IV, and then those two in AES-CTR;
 *     both lengths count the offset and the IV
 * </pre>
 *
 * <p>Encrypted outputs are decrypted here; the sink gets the map's records. As with stock, only the
 * CRC says that the bytes are the map's.
 *
 * <p>Thread contract: one thread; the key of encrypted data is that of its user. Ownership: owns
 * the connection until {@link #close}. Failure: {@link FetchException} for a reply that ends too
 * early, brings an output that was not asked for, or does not match its checksum. Exceptions of the
 * sink pass through. Nothing more can be read after a failure.
 */
final class StockReply implements Closeable {
  private static final int COPY_BYTES = 64 << 10;
  private static final int MAX_MAP_ID_BYTES = 1000;
  private static final int CHECKSUM_BYTES = 4;
  private static final int MAX_REASON_BYTES = 4096;

  /** A status line without its H: as the length of an id, that is 72. */
  private static final Pattern REFUSAL = Pattern.compile("TTP/1\\.\\d (\\d{3})([^\r\n]*)");

  private final JobConf job;
  private final URL url;
  private final int reduce;
  private final DataInputStream in;
  private final HttpURLConnection connection;
  private final Set<TaskAttemptID> left;
  private final int paddingBytes;
  private TaskAttemptID map;
  private long partLengthBytes;
  private long rawLengthBytes;

  /**
   * Reads nothing yet.
   *
   * @param paddingBytes before an encrypted partition; 0 if the job's outputs are not encrypted
   * @param in the body of the reply
   * @param maps that were asked for
   */
  StockReply(
      JobConf job,
      int paddingBytes,
      URL url,
      int reduce,
      List<TaskAttemptID> maps,
      InputStream in,
      HttpURLConnection connection) {
    this.job = job;
    this.url = url;
    this.reduce = reduce;
    this.left = new LinkedHashSet<>(maps);
    this.in = new DataInputStream(in);
    this.connection = connection;
    this.paddingBytes = paddingBytes;
  }

  /** Takes the bytes of a partition as they come. */
  interface Sink {
    /** The partition's lengths, before its first byte: {@code storedBytes} will follow. */
    void begin(long storedBytes, long rawLengthBytes) throws IOException;

    /** The next bytes. */
    void write(byte[] bytes, int offset, int length) throws IOException;
  }

  /** Reads which output comes next; {@link #copyTo} follows, once for each that was asked for. */
  TaskAttemptID next() throws IOException {
    String mapId;
    int forReduce;
    try {
      mapId = WritableUtils.readStringSafely(in, MAX_MAP_ID_BYTES);
      if (REFUSAL.matcher(mapId).lookingAt()) {
        throw refusal(mapId);
      }
      partLengthBytes = WritableUtils.readVLong(in);
      rawLengthBytes = WritableUtils.readVLong(in);
      forReduce = WritableUtils.readVInt(in);
    } catch (FetchException e) {
      throw e;
    } catch (IOException | IllegalArgumentException e) {
      throw damagedHeader("the reply to " + url + " ends or is malformed in its header", e);
    }
    map = left.stream().filter(wanted -> wanted.toString().equals(mapId)).findFirst().orElse(null);
    if (map == null || forReduce != reduce) {
      throw damagedHeader(
          "asked for " + left + " reduce " + reduce + ", got " + mapId + " reduce " + forReduce,
          null);
    }
    left.remove(map);
    if (partLengthBytes < paddingBytes + CHECKSUM_BYTES || rawLengthBytes < paddingBytes) {
      throw damagedHeader(
          "reply to " + url + " announces " + partLengthBytes + "/" + rawLengthBytes + " bytes",
          null);
    }
    return map;
  }

  private static FetchException damagedHeader(String message, Throwable cause) {
    return FetchException.damaged(Scope.REQUEST, message, cause);
  }

  private static FetchException damaged(String message, Throwable cause) {
    return FetchException.damaged(Scope.OUTPUT, message, cause);
  }

  /**
   * Hadoop 3.3 begins its reply before it has looked for the outputs. If one of them is missing, it
   * sends a second status line, headers and a reason as the body.
   *
   * @param head its first bytes, but for the one that was taken for a length
   */
  private FetchException refusal(String head) {
    String rest;
    try {
      rest = new String(in.readNBytes(MAX_REASON_BYTES), StandardCharsets.UTF_8);
    } catch (IOException e) {
      rest = ""; // the status is an answer all the same
    }
    Matcher refusal = REFUSAL.matcher(head);
    refusal.lookingAt();
    String reason = (head.substring(refusal.end()) + rest).replaceFirst("(?s)^.*?\r?\n\r?\n", "");
    return FetchException.refused(
        url, Integer.parseInt(refusal.group(1)), refusal.group(2).strip(), reason.strip());
  }

  /**
   * Copies what {@link #next} has announced; when this returns, {@code sink} has all of it and the
   * checksum was right.
   *
   * @return the bytes that travelled, checksum included
   */
  long copyTo(Sink sink) throws IOException {
    sink.begin(partLengthBytes - paddingBytes - CHECKSUM_BYTES, rawLengthBytes - paddingBytes);
    if (paddingBytes == 0) {
      copy(in, sink);
    } else {
      try (DataInputStream decrypted = new DataInputStream(decrypted())) {
        copy(decrypted, sink);
      }
    }
    return partLengthBytes;
  }

  /** Takes no byte of the next output, and leaves the reply open when it is closed. */
  private InputStream decrypted() throws IOException {
    InputStream kept =
        new FilterInputStream(in) {
          @Override
          public void close() {}
        };
    try {
      return CryptoUtils.wrapIfNecessary(job, kept, partLengthBytes);
    } catch (IOException e) {
      throw cut(0, e);
    } catch (IllegalArgumentException e) {
      throw damaged("encrypted " + map + " reduce " + reduce + " begins with no offset", e);
    }
  }

  /** The bytes of the sink, and then the CRC of all of them. */
  private void copy(DataInputStream from, Sink sink) throws IOException {
    long storedBytes = partLengthBytes - paddingBytes - CHECKSUM_BYTES;
    CRC32 crc = new CRC32();
    byte[] buffer = new byte[(int) Math.min(COPY_BYTES, storedBytes)];
    long leftBytes = storedBytes;
    while (leftBytes > 0) {
      int n;
      try {
        n = from.read(buffer, 0, (int) Math.min(buffer.length, leftBytes));
      } catch (IOException e) {
        throw cut(paddingBytes + storedBytes - leftBytes, e);
      }
      if (n < 0) {
        throw cut(paddingBytes + storedBytes - leftBytes, null);
      }
      crc.update(buffer, 0, n);
      sink.write(buffer, 0, n);
      leftBytes -= n;
    }
    int expected;
    try {
      expected = from.readInt();
    } catch (IOException e) {
      throw cut(paddingBytes + storedBytes, e);
    }
    if (expected != (int) crc.getValue()) {
      throw damaged(
          String.format(
              "checksum of %s reduce %s: expected %08x, actual %08x",
              map, reduce, expected, (int) crc.getValue()),
          null);
    }
  }

  private FetchException cut(long actualBytes, IOException cause) {
    return damaged(
        "the reply to "
            + url
            + " ends after "
            + actualBytes
            + " of "
            + partLengthBytes
            + " bytes of "
            + map,
        cause);
  }

  /** Ends the connection, also in the middle of the reply. */
  @Override
  public void close() {
    connection.disconnect();
  }
}
