package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.rdma.text.ErrorText;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.SecretKey;
import javax.net.ssl.HttpsURLConnection;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.SecureShuffleUtils;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleHeader;
import org.apache.hadoop.security.ssl.SSLFactory;

/**
 * Asks a stock ShuffleHandler for one partition of some map outputs, those of maps that used
 * stock's collector.
 *
 * <pre>
 * GET /mapOutput?job=J&amp;reduce=R&amp;map=M,M,...      headers: name, version, UrlHash
 * 200, ReplyHash                                   {@link StockReply} has the body
 * </pre>
 *
 * <p>Thread contract: thread-safe. Ownership: {@link MapOutputGathering} closes it; a connection
 * ends with its reply. Failure: {@link FetchException}; {@link BusyException} when the node asks to
 * come back later.
 */
final class StockFetch implements Closeable {
  private static final int HTTP_TOO_MANY_REQUESTS = 429;
  private static final String RETRY_AFTER = "Retry-After";
  private static final long DEFAULT_RETRY_AFTER_MS = 1000;
  private static final int DEFAULT_READ_TIMEOUT_MS = 180_000;

  /** As stock, which tries a silent host several times within the whole timeout. */
  private static final int MAX_CONNECT_TIMEOUT_MS = 60_000;

  private static final int MAX_REASON_BYTES = 4096;

  private final JobConf job;
  private final SecretKey secret;
  private final ShuffleTls tls;
  private final int connectTimeoutMs;
  private final int readTimeoutMs;

  /** Bytes before an encrypted partition; 0 if the job's outputs are not encrypted. */
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

  /**
   * Asks for partition {@code reduce} of all of {@code maps}, which are of one job. If several are
   * asked for, a refusal does not say which of them it is about ({@link FetchException#scope}).
   *
   * @return what the ShuffleHandler sends; the caller closes it
   */
  StockReply ask(String baseUrl, List<TaskAttemptID> maps, int reduce) throws IOException {
    URL url =
        URI.create(
                baseUrl
                    + (baseUrl.endsWith("/") ? "" : "/")
                    + "mapOutput?job="
                    + maps.get(0).getJobID()
                    + "&reduce="
                    + reduce
                    + "&map="
                    + maps.stream().map(TaskAttemptID::toString).collect(Collectors.joining(",")))
            .toURL();
    if (!tls.permits(url)) {
      throw refused(url, "the job's shuffle is to be over TLS, and this address is not", null);
    }
    HttpURLConnection connection = tls.open(url);
    try {
      return new StockReply(
          job, paddingBytes, url, reduce, maps, open(connection, url), connection);
    } catch (IOException | RuntimeException | Error e) {
      connection.disconnect();
      throw e;
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
      throw FetchException.ofNode(
          e instanceof ConnectException ? Kind.CONNECT : Kind.UNREACHED,
          "no connection to the ShuffleHandler at " + url.getAuthority() + ": " + ErrorText.of(e),
          e);
    }
    int status;
    try {
      status = connection.getResponseCode();
    } catch (IOException e) {
      throw refused(url, ErrorText.of(e), e);
    }
    if (status == HTTP_TOO_MANY_REQUESTS) {
      long retryAfterMs = connection.getHeaderFieldLong(RETRY_AFTER, DEFAULT_RETRY_AFTER_MS);
      throw new BusyException(url, retryAfterMs < 0 ? DEFAULT_RETRY_AFTER_MS : retryAfterMs);
    }
    if (status != HttpURLConnection.HTTP_OK) {
      throw FetchException.refused(
          url, status, connection.getResponseMessage(), reason(connection));
    }
    try {
      verify(connection, hash);
      return connection.getInputStream();
    } catch (IOException e) {
      throw refused(url, ErrorText.of(e), e);
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

  /** The body of a refusal, as far as it can be read. */
  private static String reason(HttpURLConnection connection) {
    try (InputStream body = connection.getErrorStream()) {
      return body == null
          ? ""
          : new String(body.readNBytes(MAX_REASON_BYTES), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return ""; // the status is an answer all the same
    }
  }

  private static FetchException refused(URL url, String reason, IOException cause) {
    return FetchException.ofNode(
        Kind.REFUSED, "ShuffleHandler refused " + url + ": " + reason, cause);
  }

  /**
   * Opens connections to ShuffleHandlers as the job wants them: over TLS, with the trust store, the
   * client certificate and the check of host names that Hadoop is configured with, or in the clear.
   *
   * <p>The stores are read with the first connection, since most reducers make none.
   *
   * <p>Thread contract: thread-safe. Ownership: {@link StockFetch} closes it. Failure: {@link
   * IOException} where Hadoop's settings of TLS are not usable, or it is closed; nothing is sent in
   * the clear instead.
   */
  static final class ShuffleTls implements Closeable {
    private final JobConf job;
    private final boolean enabled;
    private SSLFactory factory;
    private boolean closed;

    ShuffleTls(JobConf job) {
      this.job = job;
      this.enabled =
          job.getBoolean(MRConfig.SHUFFLE_SSL_ENABLED_KEY, MRConfig.SHUFFLE_SSL_ENABLED_DEFAULT);
    }

    /**
     * Whether {@code url} is one that may be opened; an address in the clear is not, with TLS on.
     */
    boolean permits(URL url) {
      return !enabled || "https".equals(url.getProtocol());
    }

    /** A connection that is not connected yet. */
    HttpURLConnection open(URL url) throws IOException {
      HttpURLConnection connection = (HttpURLConnection) url.openConnection();
      if (enabled) {
        HttpsURLConnection https = (HttpsURLConnection) connection;
        SSLFactory tls = factory();
        try {
          https.setSSLSocketFactory(tls.createSSLSocketFactory());
        } catch (GeneralSecurityException e) {
          throw unusable(e);
        }
        https.setHostnameVerifier(tls.getHostnameVerifier());
      }
      return connection;
    }

    private synchronized SSLFactory factory() throws IOException {
      if (closed) { // a fetcher may outlive the shuffle; its factory's thread would never end
        throw new IOException("the shuffle has ended");
      }
      if (factory == null) {
        SSLFactory fresh = new SSLFactory(SSLFactory.Mode.CLIENT, job);
        try {
          fresh.init();
        } catch (GeneralSecurityException | IOException e) {
          fresh.destroy();
          throw unusable(e);
        }
        factory = fresh;
      }
      return factory;
    }

    private IOException unusable(Exception cause) {
      return new IOException(
          MRConfig.SHUFFLE_SSL_ENABLED_KEY
              + " is on, but Hadoop's client settings of TLS ("
              + job.get(SSLFactory.SSL_CLIENT_CONF_KEY, SSLFactory.SSL_CLIENT_CONF_DEFAULT)
              + ") cannot be used: "
              + ErrorText.of(cause),
          cause);
    }

    /** Ends the thread that watches the stores for changes. */
    @Override
    public synchronized void close() {
      closed = true;
      if (factory != null) {
        factory.destroy();
        factory = null;
      }
    }
  }
}
