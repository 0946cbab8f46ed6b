package io.sluice.hadoop.reduce;

import io.sluice.rdma.text.ErrorText;
import java.io.Closeable;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.security.GeneralSecurityException;
import javax.net.ssl.HttpsURLConnection;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.security.ssl.SSLFactory;

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
final class ShuffleTls implements Closeable {
  private final JobConf job;
  private final boolean enabled;
  private SSLFactory factory;
  private boolean closed;

  ShuffleTls(JobConf job) {
    this.job = job;
    this.enabled =
        job.getBoolean(MRConfig.SHUFFLE_SSL_ENABLED_KEY, MRConfig.SHUFFLE_SSL_ENABLED_DEFAULT);
  }

  /** Whether {@code url} is one that may be opened; an address in the clear is not, with TLS on. */
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
