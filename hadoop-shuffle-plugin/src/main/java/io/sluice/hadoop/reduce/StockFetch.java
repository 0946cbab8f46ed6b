package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.rdma.text.ErrorText;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import javax.crypto.SecretKey;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.SecureShuffleUtils;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleHeader;

/**
 * Fetches one partition of one map output from a stock ShuffleHandler, for maps that did not go
 * through Sluice.
 *
 * <pre>
 * GET /mapOutput?job=J&amp;reduce=R&amp;map=M      headers: name, version, UrlHash
 * 200, ReplyHash
 *   string  map id        (vint length, bytes)
 *   vlong   part length   bytes that follow, with the checksum
 *   vlong   raw length    bytes before compression, without it
 *   vint    reduce
 *   part length bytes: IFile stream (compressed as a whole if the job does so), int32 CRC-32
 *     where intermediate data is encrypted: int64 offset, IV, and then those two in AES-CTR;
 *     both lengths count the offset and the IV
 * </pre>
 *
 * <p>What is encrypted is decrypted here, and the sink gets what the map's records were before. As
 * with stock, nothing but the CRC says that the bytes are the map's.
 *
 * <p>Thread contract: thread-safe; the key of encrypted data is that of the calling thread's user.
 * Ownership: {@link ReduceShuffle} closes it; a connection ends with the call. Failure: {@link
 * FetchException} for what can go wrong on the way, among it a stream that ends in the header or in
 * the body and a checksum that does not match; {@link BusyException} when the node wants to be left
 * alone for a while; whatever the sink throws passes through.
 */
final class StockFetch implements Closeable {
  private static final int COPY_BYTES = 64 << 10;
  private static final int MAX_MAP_ID_BYTES = 1000;
  private static final int CHECKSUM_BYTES = 4;
  private static final int HTTP_TOO_MANY_REQUESTS = 429;
  private static final String RETRY_AFTER = "Retry-After";
  private static final long DEFAULT_RETRY_AFTER_MS = 1000;
  private static final int DEFAULT_READ_TIMEOUT_MS = 180_000;

  /** As stock: a host that does not answer is tried several times within the whole timeout. */
  private static final int MAX_CONNECT_TIMEOUT_MS = 60_000;

  private static final int MAX_REASON_BYTES = 4096;

  /** Its words when it knows nothing of the job, with 401. */
  private static final String UNKNOWN_JOB = "Could not find jobid";

  /** Its words when an output is in none of its directories, with 500 and the path between. */
  private static final Pattern NO_SUCH_OUTPUT =
      Pattern.compile("Could not find .* in any of the directories");

  private final JobConf job;
  private final SecretKey secret;
  private final ShuffleTls tls;
  private final int connectTimeoutMs;
  private final int readTimeoutMs;

  /** Bytes that stand before an encrypted partition; 0 if the job's are not. */
  private final int paddingBytes;

  /**
   * Connects to nothing yet.
   *
   * @param secret the job's shuffle secret
   */
  StockFetch(JobConf job, SecretKey secret) throws IOException {
    this.job = job;
    this.secret = secret;
    this.tls = new ShuffleTls(job);
    this.connectTimeoutMs =
        Math.min(
            job.getInt(MRJobConfig.SHUFFLE_CONNECT_TIMEOUT, FetchPolicy.DEFAULT_CONNECT_MS),
            MAX_CONNECT_TIMEOUT_MS);
    this.readTimeoutMs = job.getInt(MRJobConfig.SHUFFLE_READ_TIMEOUT, DEFAULT_READ_TIMEOUT_MS);
    this.paddingBytes = CryptoUtils.cryptoPadding(job);
  }

  @Override
  public void close() {
    tls.close();
  }

  /** The output could not be fetched; trying again, or another attempt of the map, may help. */
  static final class FetchException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final boolean ofNode;
    private final boolean absent;

    private FetchException(
        Kind kind, boolean ofNode, boolean absent, String message, Throwable cause) {
      super(message, cause);
      this.kind = kind;
      this.ofNode = ofNode;
      this.absent = absent;
    }

    Kind kind() {
      return kind;
    }

    /** Whether the node's other outputs cannot be fetched either. */
    boolean isOfNode() {
      return ofNode;
    }

    /**
     * Whether the ShuffleHandler said in its own words that it does not have the output. Any other
     * refusal may be the trouble of a moment, too many open files for example.
     */
    boolean isAbsent() {
      return absent;
    }
  }

  /** The ShuffleHandler has too many connections and asks to come back later. */
  static final class BusyException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long retryAfterMs;

    private BusyException(URL url, long retryAfterMs) {
      super(url.getAuthority() + " is busy and asks to come back in " + retryAfterMs + " ms");
      this.retryAfterMs = retryAfterMs;
    }

    long retryAfterMs() {
      return retryAfterMs;
    }
  }

  /** Takes the bytes of a partition as they come. */
  interface Sink {
    /** The partition's lengths, before its first byte: {@code storedBytes} will follow. */
    void begin(long storedBytes, long rawLengthBytes) throws IOException;

    /** The next bytes. */
    void write(byte[] bytes, int offset, int length) throws IOException;
  }

  /**
   * Fetches {@code map}'s partition {@code reduce}; when this returns, {@code sink} has all of it
   * and the checksum was right.
   *
   * @return the bytes that travelled, checksum included
   */
  long fetch(String baseUrl, TaskAttemptID map, int reduce, Sink sink) throws IOException {
    URL url =
        URI.create(
                baseUrl
                    + (baseUrl.endsWith("/") ? "" : "/")
                    + "mapOutput?job="
                    + map.getJobID()
                    + "&reduce="
                    + reduce
                    + "&map="
                    + map)
            .toURL();
    if (!tls.permits(url)) {
      throw refused(
          true, url, "the job's shuffle is to be over TLS, and this address is not", null);
    }
    HttpURLConnection connection = tls.open(url);
    try (DataInputStream in = new DataInputStream(open(connection, url))) {
      return receive(in, url, map, reduce, sink);
    } finally {
      connection.disconnect();
    }
  }

  private InputStream open(HttpURLConnection connection, URL url) throws IOException {
    String message = SecureShuffleUtils.buildMsgFrom(url);
    String hash = SecureShuffleUtils.hashFromString(message, secret);
    connection.setInstanceFollowRedirects(false); // the hash is for this host alone
    connection.setConnectTimeout(connectTimeoutMs);
    connection.setReadTimeout(readTimeoutMs);
    connection.addRequestProperty(SecureShuffleUtils.HTTP_HEADER_URL_HASH, hash);
    connection.addRequestProperty(
        ShuffleHeader.HTTP_HEADER_NAME, ShuffleHeader.DEFAULT_HTTP_HEADER_NAME);
    connection.addRequestProperty(
        ShuffleHeader.HTTP_HEADER_VERSION, ShuffleHeader.DEFAULT_HTTP_HEADER_VERSION);
    try {
      connection.connect();
    } catch (IOException e) {
      throw new FetchException(
          e instanceof ConnectException ? Kind.CONNECT : Kind.UNREACHED,
          true,
          false,
          "no connection to the ShuffleHandler at " + url.getAuthority() + ": " + ErrorText.of(e),
          e);
    }
    int status;
    try {
      status = connection.getResponseCode();
    } catch (IOException e) {
      throw refused(true, url, ErrorText.of(e), e);
    }
    if (status == HTTP_TOO_MANY_REQUESTS) {
      long retryAfterMs = connection.getHeaderFieldLong(RETRY_AFTER, DEFAULT_RETRY_AFTER_MS);
      throw new BusyException(url, retryAfterMs < 0 ? DEFAULT_RETRY_AFTER_MS : retryAfterMs);
    }
    if (status != HttpURLConnection.HTTP_OK) {
      throw refused(connection, url, status);
    }
    try {
      verify(connection, hash);
      return connection.getInputStream();
    } catch (IOException e) {
      throw refused(true, url, ErrorText.of(e), e);
    }
  }

  private void verify(HttpURLConnection connection, String hash) throws IOException {
    String name = connection.getHeaderField(ShuffleHeader.HTTP_HEADER_NAME);
    String version = connection.getHeaderField(ShuffleHeader.HTTP_HEADER_VERSION);
    if (!ShuffleHeader.DEFAULT_HTTP_HEADER_NAME.equals(name)
        || !ShuffleHeader.DEFAULT_HTTP_HEADER_VERSION.equals(version)) {
      throw new IOException(
          "it speaks "
              + name
              + " "
              + version
              + ", expected "
              + ShuffleHeader.DEFAULT_HTTP_HEADER_NAME
              + " "
              + ShuffleHeader.DEFAULT_HTTP_HEADER_VERSION);
    }
    String replyHash = connection.getHeaderField(SecureShuffleUtils.HTTP_HEADER_REPLY_URL_HASH);
    if (replyHash == null) {
      throw new IOException("it did not authenticate its reply");
    }
    SecureShuffleUtils.verifyReply(replyHash, hash, secret);
  }

  private static FetchException refused(HttpURLConnection connection, URL url, int status)
      throws IOException {
    String reason = reason(connection);
    // 500 is its answer for a single output that it cannot find.
    boolean ofNode = status != HttpURLConnection.HTTP_INTERNAL_ERROR;
    boolean absent =
        status == HttpURLConnection.HTTP_UNAUTHORIZED && reason.contains(UNKNOWN_JOB)
            || !ofNode && NO_SUCH_OUTPUT.matcher(reason).find();
    String answer = "it answered " + status + " " + connection.getResponseMessage();
    return new FetchException(
        Kind.REFUSED,
        ofNode,
        absent,
        "ShuffleHandler refused " + url + ": " + answer + (reason.isEmpty() ? "" : ", " + reason),
        null);
  }

  /** What it says beside the status; as far as it can be read. */
  private static String reason(HttpURLConnection connection) {
    try (InputStream body = connection.getErrorStream()) {
      return body == null
          ? ""
          : new String(body.readNBytes(MAX_REASON_BYTES), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return ""; // the status is an answer all the same
    }
  }

  private static FetchException refused(boolean ofNode, URL url, String reason, IOException cause) {
    return new FetchException(
        Kind.REFUSED, ofNode, false, "ShuffleHandler refused " + url + ": " + reason, cause);
  }

  private static FetchException damaged(String message, Throwable cause) {
    return new FetchException(Kind.READ, false, false, message, cause);
  }

  private long receive(DataInputStream in, URL url, TaskAttemptID map, int reduce, Sink sink)
      throws IOException {
    String mapId;
    long partLengthBytes;
    long rawLengthBytes;
    int forReduce;
    try {
      mapId = WritableUtils.readStringSafely(in, MAX_MAP_ID_BYTES);
      partLengthBytes = WritableUtils.readVLong(in);
      rawLengthBytes = WritableUtils.readVLong(in);
      forReduce = WritableUtils.readVInt(in);
    } catch (IOException | IllegalArgumentException e) {
      throw damaged("the reply to " + url + " ends or is malformed in its header", e);
    }
    if (!mapId.equals(map.toString()) || forReduce != reduce) {
      throw damaged(
          "asked for " + map + " reduce " + reduce + ", got " + mapId + " reduce " + forReduce,
          null);
    }
    if (partLengthBytes < paddingBytes + CHECKSUM_BYTES || rawLengthBytes < paddingBytes) {
      throw damaged(
          "reply to " + url + " announces " + partLengthBytes + "/" + rawLengthBytes + " bytes",
          null);
    }
    sink.begin(partLengthBytes - paddingBytes - CHECKSUM_BYTES, rawLengthBytes - paddingBytes);
    if (paddingBytes == 0) {
      copy(in, url, map, reduce, partLengthBytes, sink);
    } else {
      try (DataInputStream decrypted =
          new DataInputStream(decrypted(in, url, map, reduce, partLengthBytes))) {
        copy(decrypted, url, map, reduce, partLengthBytes, sink);
      }
    }
    return partLengthBytes;
  }

  private InputStream decrypted(
      InputStream in, URL url, TaskAttemptID map, int reduce, long partLengthBytes)
      throws IOException {
    try {
      return CryptoUtils.wrapIfNecessary(job, in, partLengthBytes);
    } catch (IOException e) {
      throw cut(url, partLengthBytes, 0, e);
    } catch (IllegalArgumentException e) {
      throw damaged("encrypted " + map + " reduce " + reduce + " begins with no offset", e);
    }
  }

  /** The bytes of the sink, and then the CRC of all of them. */
  private void copy(
      DataInputStream in, URL url, TaskAttemptID map, int reduce, long partLengthBytes, Sink sink)
      throws IOException {
    long storedBytes = partLengthBytes - paddingBytes - CHECKSUM_BYTES;
    CRC32 crc = new CRC32();
    byte[] buffer = new byte[(int) Math.min(COPY_BYTES, storedBytes)];
    long leftBytes = storedBytes;
    while (leftBytes > 0) {
      int n;
      try {
        n = in.read(buffer, 0, (int) Math.min(buffer.length, leftBytes));
      } catch (IOException e) {
        throw cut(url, partLengthBytes, paddingBytes + storedBytes - leftBytes, e);
      }
      if (n < 0) {
        throw cut(url, partLengthBytes, paddingBytes + storedBytes - leftBytes, null);
      }
      crc.update(buffer, 0, n);
      sink.write(buffer, 0, n);
      leftBytes -= n;
    }
    int expected;
    try {
      expected = in.readInt();
    } catch (IOException e) {
      throw cut(url, partLengthBytes, paddingBytes + storedBytes, e);
    }
    if (expected != (int) crc.getValue()) {
      throw damaged(
          String.format(
              "checksum of %s reduce %s: expected %08x, actual %08x",
              map, reduce, expected, (int) crc.getValue()),
          null);
    }
  }

  private static FetchException cut(
      URL url, long expectedBytes, long actualBytes, IOException cause) {
    return damaged(
        "the reply to " + url + " ends after " + actualBytes + " of " + expectedBytes + " bytes",
        cause);
  }
}
