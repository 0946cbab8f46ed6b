package io.sluice.hadoop.reduce;

import static io.sluice.hadoop.testing.StockHandler.output;
import static io.sluice.hadoop.testing.StockHandler.reply;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.reduce.StockFetch.ShuffleTls;
import io.sluice.hadoop.testing.StockHandler;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.rdma.testing.TestCertificate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.security.ssl.SSLFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Stock's shuffle over TLS: whom a reducer believes, and whom not. */
@Timeout(300)
final class StockFetchTlsTest {
  private static final int REDUCE = 3;
  private static final TaskAttemptID MAP = TestJob.map(5, 1);
  private static final byte[] STORED = "what the map wrote".getBytes(StandardCharsets.UTF_8);

  @TempDir private static Path directory;
  private static TestCertificate ofThisHost;
  private static TestCertificate ofAnotherHost;

  private final JobConf job = TestJob.conf();
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();

  @BeforeAll
  static void certify() throws IOException, InterruptedException {
    ofThisHost = TestCertificate.create(directory, "ip:127.0.0.1");
    ofAnotherHost = TestCertificate.create(directory, "dns:another.example");
  }

  /** Makes the job shuffle over TLS and trust nothing else. */
  private void trust(TestCertificate certificate) {
    job.setBoolean(MRConfig.SHUFFLE_SSL_ENABLED_KEY, true);
    job.set(SSLFactory.SSL_CLIENT_CONF_KEY, "no-such-resource.xml"); // so the job's own counts
    job.set("ssl.client.truststore.location", certificate.store().toString());
    job.set("ssl.client.truststore.password", certificate.password());
    job.set("ssl.client.truststore.type", "PKCS12");
  }

  private void fetch(StockHandler handler) throws IOException {
    try (StockFetch fetch = new StockFetch(job, TestJob.SECRET);
        StockReply reply = fetch.ask(handler.url(), List.of(MAP), REDUCE)) {
      reply.next();
      reply.copyTo(
          new StockReply.Sink() {
            @Override
            public void begin(long storedBytes, long rawLengthBytes) {}

            @Override
            public void write(byte[] bytes, int offset, int length) {
              received.write(bytes, offset, length);
            }
          });
    }
  }

  private static StockHandler.Script answer() throws IOException {
    byte[] body = output(MAP, REDUCE, STORED);
    return exchange -> reply(exchange, body, body.length);
  }

  private FetchException refused(StockHandler handler) {
    FetchException e = assertThrows(FetchException.class, () -> fetch(handler));
    assertEquals(FetchException.Scope.NODE, e.scope(), e.toString());
    assertFalse(e.isAbsent(), e.toString());
    assertEquals(List.of(), handler.requests, "nothing was asked");
    assertEquals(0, received.size());
    return e;
  }

  @Test
  void certificateThatIsTrusted() throws Exception {
    trust(ofThisHost);
    try (StockHandler handler = new StockHandler(answer(), ofThisHost)) {
      fetch(handler);
      fetch(handler);
    }
    assertArrayEquals(
        (new String(STORED, StandardCharsets.UTF_8).repeat(2)).getBytes(StandardCharsets.UTF_8),
        received.toByteArray());
  }

  @Test
  void certificateThatIsNot() throws Exception {
    trust(ofAnotherHost);
    try (StockHandler handler = new StockHandler(answer(), ofThisHost)) {
      refused(handler);
    }
  }

  @Test
  void certificateOfAnotherHost() throws Exception {
    trust(ofAnotherHost);
    try (StockHandler handler = new StockHandler(answer(), ofAnotherHost)) {
      refused(handler);
    }
  }

  @Test
  void addressInTheClear() throws Exception {
    trust(ofThisHost);
    try (StockHandler handler = new StockHandler(answer())) {
      FetchException e = refused(handler);
      assertTrue(e.getMessage().contains("is to be over TLS"), e.getMessage());
    }
  }

  @Test
  void settingsThatAreNotUsableFailTheShuffle() throws Exception {
    trust(ofThisHost);
    job.set("ssl.client.truststore.location", directory.resolve("no-such-store").toString());
    try (StockHandler handler = new StockHandler(answer(), ofThisHost)) {
      IOException e = assertThrows(IOException.class, () -> fetch(handler));
      assertFalse(e instanceof FetchException, "no node's fault: " + e);
      assertTrue(e.getMessage().contains(MRConfig.SHUFFLE_SSL_ENABLED_KEY), e.getMessage());
    }
  }

  /** A fetcher may come after the end; a factory that it made would have a thread for ever. */
  @Test
  void nothingIsOpenedOnceItIsClosed() throws Exception {
    trust(ofThisHost);
    ShuffleTls tls = new ShuffleTls(job);
    tls.close();
    IOException e =
        assertThrows(IOException.class, () -> tls.open(new URL("https://127.0.0.1:1/")));
    assertTrue(e.getMessage().contains("has ended"), e.getMessage());
  }
}
