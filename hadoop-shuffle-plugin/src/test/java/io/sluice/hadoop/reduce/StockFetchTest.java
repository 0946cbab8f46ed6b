package io.sluice.hadoop.reduce;

import static io.sluice.hadoop.testing.StockHandler.output;
import static io.sluice.hadoop.testing.StockHandler.reply;
import static io.sluice.hadoop.testing.StockHandler.version;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.testing.StockHandler;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.rdma.testing.ClosedPort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.SecureShuffleUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stock's wire format, as it should be and as it should not. */
@Timeout(300)
final class StockFetchTest {
  private static final int REDUCE = 3;
  private static final int TIMEOUT_MS = 120_000;
  private static final TaskAttemptID MAP = TestJob.map(5, 1);

  private final Collected sink = new Collected();
  private StockFetch fetch;
  private StockHandler handler;

  private static final class Collected implements StockReply.Sink {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long storedBytes = -1;
    long rawBytes = -1;

    @Override
    public void begin(long storedBytes, long rawLengthBytes) {
      this.storedBytes = storedBytes;
      this.rawBytes = rawLengthBytes;
    }

    @Override
    public void write(byte[] from, int offset, int length) {
      bytes.write(from, offset, length);
    }
  }

  private static StockFetch fetch(SecretKey secret) throws IOException {
    JobConf job = TestJob.conf();
    job.setInt(MRJobConfig.SHUFFLE_CONNECT_TIMEOUT, TIMEOUT_MS);
    job.setInt(MRJobConfig.SHUFFLE_READ_TIMEOUT, TIMEOUT_MS);
    return new StockFetch(job, secret);
  }

  @BeforeEach
  void start() throws IOException {
    fetch = fetch(TestJob.SECRET);
  }

  @AfterEach
  void stop() {
    fetch.close();
    if (handler != null) {
      handler.close();
    }
  }

  private long receive(String url, StockReply.Sink to) throws IOException {
    try (StockReply reply = fetch.ask(url, List.of(MAP), REDUCE)) {
      assertEquals(MAP, reply.next());
      return reply.copyTo(to);
    }
  }

  private long fetch(StockHandler.Script script) throws IOException {
    handler = new StockHandler(script);
    return receive(handler.url(), sink);
  }

  private FetchException assertFails(Kind kind, StockHandler.Script script) {
    FetchException e = assertThrows(FetchException.class, () -> fetch(script));
    assertEquals(kind, e.kind(), e.toString());
    return e;
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 1000, 64 << 10, (64 << 10) + 1, 3_000_000})
  void wholeOutput(int length) throws IOException {
    byte[] stored = random(length);
    byte[] body = output(MAP, REDUCE, stored);
    assertEquals(length + 4, fetch(exchange -> reply(exchange, body, body.length)));
    assertArrayEquals(stored, sink.bytes.toByteArray());
    assertEquals(length, sink.storedBytes);
    assertEquals(length, sink.rawBytes);
    assertEquals(
        List.of(
            "/mapOutput?job=job_1700000000000_0007&reduce=3"
                + "&map=attempt_1700000000000_0007_m_000005_1"),
        handler.requests);
  }

  /** In whatever order the ShuffleHandler has them. */
  @Test
  void severalOutputsOfOneRequest() throws IOException {
    List<TaskAttemptID> maps = List.of(TestJob.map(2, 0), MAP, TestJob.map(9, 3));
    List<TaskAttemptID> sent = List.of(maps.get(1), maps.get(2), maps.get(0));
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (TaskAttemptID map : sent) {
      body.write(output(map, REDUCE, random(100_000 + map.getTaskID().getId())));
    }
    handler = new StockHandler(exchange -> reply(exchange, body.toByteArray(), body.size()));
    try (StockReply reply = fetch.ask(handler.url(), maps, REDUCE)) {
      for (TaskAttemptID map : sent) {
        assertEquals(map, reply.next());
        Collected bytes = new Collected();
        assertEquals(100_004 + map.getTaskID().getId(), reply.copyTo(bytes));
        assertArrayEquals(random(100_000 + map.getTaskID().getId()), bytes.bytes.toByteArray());
      }
    }
    assertEquals(
        List.of(
            "/mapOutput?job=job_1700000000000_0007&reduce=3&map="
                + maps.stream().map(TaskAttemptID::toString).collect(Collectors.joining(","))),
        handler.requests);
  }

  @Test
  void anOutputThatComesTwice() throws IOException {
    byte[] once = output(MAP, REDUCE, random(60));
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write(once);
    body.write(once);
    handler = new StockHandler(exchange -> reply(exchange, body.toByteArray(), body.size()));
    try (StockReply reply = fetch.ask(handler.url(), List.of(MAP, TestJob.map(9, 3)), REDUCE)) {
      reply.next();
      reply.copyTo(sink);
      assertEquals(Kind.READ, assertThrows(FetchException.class, reply::next).kind());
    }
  }

  @Test
  void cutAnywhereIsNoticed() throws IOException {
    byte[] body = output(MAP, REDUCE, random(60));
    for (int sent = 0; sent < body.length; sent++) {
      int sentBytes = sent;
      assertFails(Kind.READ, exchange -> reply(exchange, body, sentBytes));
      handler.close();
    }
  }

  @Test
  void cutInALargeBodyNamesWhereAndHowMuch() throws IOException {
    byte[] body = output(MAP, REDUCE, random(500_000));
    FetchException e = assertFails(Kind.READ, exchange -> reply(exchange, body, 300_000));
    assertTrue(
        e.getMessage().matches(".* ends after \\d+ of 500004 bytes of attempt_.*"), e.getMessage());
    assertEquals(FetchException.Scope.OUTPUT, e.scope());
  }

  @ParameterizedTest
  @ValueSource(ints = {45, 70, 104})
  void damagedByteIsNoticed(int at) throws IOException {
    byte[] body = output(MAP, REDUCE, random(60));
    body[Math.min(at, body.length - 1)] ^= 4;
    assertTrue(
        assertFails(Kind.READ, exchange -> reply(exchange, body, body.length))
            .getMessage()
            .startsWith("checksum of attempt_1700000000000_0007_m_000005_1 reduce 3: expected"));
  }

  @Test
  void outputOfAnotherMap() throws IOException {
    byte[] body = output(TestJob.map(5, 0), REDUCE, random(60));
    assertFails(Kind.READ, exchange -> reply(exchange, body, body.length));
    assertEquals(-1, sink.storedBytes, "nothing of it is kept");
  }

  @Test
  void outputForAnotherReduce() throws IOException {
    byte[] body = output(MAP, REDUCE + 1, random(60));
    assertFails(Kind.READ, exchange -> reply(exchange, body, body.length));
    assertEquals(-1, sink.storedBytes, "nothing of it is kept");
  }

  @ParameterizedTest
  @CsvSource({"3,0", "-1,10", "10,-1"})
  void lengthsThatAreNone(long partLength, long rawLength) throws IOException {
    byte[] body = output(MAP.toString(), partLength, rawLength, REDUCE, new byte[8], new CRC32());
    assertFails(Kind.READ, exchange -> reply(exchange, body, body.length));
  }

  @Test
  void headerThatIsNone() {
    byte[] body = random(2000);
    body[0] = (byte) 0x8c; // a length of four bytes, far too large
    assertFails(Kind.READ, exchange -> reply(exchange, body, body.length));
  }

  @ParameterizedTest
  @CsvSource({"401, true", "500, false", "400, true"})
  void refusal(int status, boolean ofNode) {
    FetchException e =
        assertFails(Kind.REFUSED, exchange -> exchange.sendResponseHeaders(status, -1));
    assertEquals(ofNode, e.scope() == FetchException.Scope.NODE);
    assertTrue(e.getMessage().contains("it answered " + status), e.getMessage());
  }

  /** Only its own words for it: any other refusal may pass. */
  @ParameterizedTest
  @CsvSource({
    "401, Could not find jobid, true",
    "401, fetcher cannot be authenticated, false",
    "401, Verification of the hashReply failed, false",
    "500, Could not find output/attempt_1/file.out.index in any of the directories, true",
    "500, /disk1/file.out (Too many open files), false",
    "500, Could not find jobid, false",
    "404, Could not find jobid, false",
    "400, Could not find x in any of the directories, false",
    "500, '', false",
    "401, '', false"
  })
  void absence(int status, String reason, boolean absent) {
    FetchException e =
        assertFails(Kind.REFUSED, exchange -> StockHandler.refuse(exchange, status, reason));
    assertEquals(absent, e.isAbsent(), e.getMessage());
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }

  /** Hadoop 3.3 has sent the headers of a good reply by then. */
  @Test
  void refusalInPlaceOfTheFirstHeader() {
    byte[] body =
        ("HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n"
                + StockHandler.noOutput("m"))
            .getBytes(StandardCharsets.UTF_8);
    FetchException e = assertFails(Kind.REFUSED, exchange -> reply(exchange, body, body.length));
    assertTrue(e.isAbsent(), e.getMessage());
    assertEquals(FetchException.Scope.REQUEST, e.scope());
    assertTrue(
        e.getMessage()
            .endsWith("it answered 500 Internal Server Error, " + StockHandler.noOutput("m")),
        e.getMessage());
  }

  @Test
  void endlessReasonIsCutOff() {
    FetchException e =
        assertFails(
            Kind.REFUSED,
            exchange -> {
              exchange.sendResponseHeaders(500, 0);
              byte[] much = new byte[1 << 16];
              try {
                for (int i = 0; i < 1000; i++) {
                  exchange.getResponseBody().write(much);
                }
              } catch (IOException gone) {
                assertFalse(gone.getMessage().isEmpty()); // the client has read enough
              }
            });
    assertTrue(e.getMessage().length() < 10_000, "message");
    assertFalse(e.isAbsent());
  }

  @Test
  void replyWithoutAHash() {
    assertTrue(
        assertFails(
                Kind.REFUSED,
                exchange -> {
                  version(exchange);
                  exchange.sendResponseHeaders(200, -1);
                })
            .getMessage()
            .contains("did not authenticate"));
  }

  @Test
  void replyWithAnotherHash() {
    assertFails(
        Kind.REFUSED,
        exchange -> {
          version(exchange);
          exchange
              .getResponseHeaders()
              .set(SecureShuffleUtils.HTTP_HEADER_REPLY_URL_HASH, "bm90IHRoZSBoYXNo");
          exchange.sendResponseHeaders(200, -1);
        });
  }

  @Test
  void replyOfSomethingElse() {
    assertTrue(
        assertFails(Kind.REFUSED, exchange -> exchange.sendResponseHeaders(200, -1))
            .getMessage()
            .contains("it speaks null null, expected mapreduce 1.0.0"));
  }

  @Test
  void requestIsSignedWithTheJobsSecret() throws IOException {
    byte[] body = new byte[0];
    fetch.close();
    fetch = fetch(new SecretKeySpec(new byte[] {1}, "HmacSHA1"));
    assertThrows(
        FetchException.class,
        () -> {
          handler = new StockHandler(exchange -> reply(exchange, body, 0));
          receive(handler.url(), sink);
        });
  }

  @ParameterizedTest
  @CsvSource({"2500, 2500", "-3, 1000", "soon, 1000", ", 1000"})
  void busyNodeSaysWhenToComeBack(String retryAfter, long expectedMs) {
    StockFetch.BusyException e =
        assertThrows(
            StockFetch.BusyException.class,
            () ->
                fetch(
                    exchange -> {
                      if (retryAfter != null) {
                        exchange.getResponseHeaders().set("Retry-After", retryAfter);
                      }
                      exchange.sendResponseHeaders(429, -1);
                    }));
    assertEquals(expectedMs, e.retryAfterMs());
  }

  @Test
  void nobodyListens() throws IOException {
    try (ClosedPort closed = new ClosedPort(InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + closed.address().getPort();
      FetchException e = assertThrows(FetchException.class, () -> receive(url, sink));
      assertEquals(Kind.CONNECT, e.kind());
      assertEquals(FetchException.Scope.NODE, e.scope());
    }
  }

  @Test
  void hostThatIsNone() {
    FetchException e =
        assertThrows(FetchException.class, () -> receive("http://no-such-host.invalid:1", sink));
    assertEquals(Kind.UNREACHED, e.kind(), "as stock, which reports only refused connections");
    assertEquals(FetchException.Scope.NODE, e.scope());
  }

  @Test
  void troubleOfTheSinkIsNotTheNodes() {
    IOException full = new IOException("no room");
    IOException e =
        assertThrows(
            IOException.class,
            () -> {
              byte[] good = output(MAP, REDUCE, random(10));
              handler = new StockHandler(exchange -> reply(exchange, good, good.length));
              receive(
                  handler.url(),
                  new StockReply.Sink() {
                    @Override
                    public void begin(long storedBytes, long rawLengthBytes) throws IOException {
                      throw full;
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) {}
                  });
            });
    assertEquals(full, e);
  }

  @Test
  void redirectionIsNotFollowed() {
    List<String> asked = new CopyOnWriteArrayList<>();
    FetchException e =
        assertFails(
            Kind.REFUSED,
            exchange -> {
              asked.add(exchange.getRequestURI().toString());
              exchange.getResponseHeaders().set("Location", handler.url() + "/mapOutput?another");
              exchange.sendResponseHeaders(302, -1);
            });
    assertEquals(1, asked.size(), asked.toString());
    assertTrue(e.getMessage().contains("it answered 302"), e.getMessage());
  }
}
