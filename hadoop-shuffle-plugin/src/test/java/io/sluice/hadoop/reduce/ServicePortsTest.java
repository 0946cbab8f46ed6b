package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which ports are asked after which answer; sockets are in {@link ServiceAtAnotherPortTest}. */
final class ServicePortsTest {
  private static final int FIRST = 17_562;
  private static final int SECOND = 18_562;
  private static final int THIRD = 19_562;
  private static final Batch BATCH = new Batch("node1", "http://127.0.0.1:13562", List.of(), 0);

  private final ServicePorts services = new ServicePorts(4_000);
  private final Map<Integer, IOException> failures = new HashMap<>();
  private final List<Integer> asked = new ArrayList<>();

  private int ask() throws IOException {
    asked.clear();
    return services.ask(
        BATCH,
        address -> {
          int port = address.control().getPort();
          asked.add(port);
          if (failures.containsKey(port)) {
            throw failures.get(port);
          }
          return port;
        });
  }

  private IOException fail() {
    return assertThrows(IOException.class, this::ask);
  }

  private static RemoteError unknownApplication() {
    return new RemoteError(RemoteError.Code.UNKNOWN_APPLICATION, "it is not known here");
  }

  @Test
  void oneConnectionIsEnoughWhereTheServiceHasItsFirstPort() throws IOException {
    assertEquals(FIRST, ask());
    assertEquals(List.of(FIRST), asked);
  }

  @Test
  void whoIsNotTheServiceIsPassedBy() throws IOException {
    for (IOException failure :
        List.of(
            new ConnectException("refused"),
            new ProtocolException("it speaks something else"),
            new SocketTimeoutException("it says nothing"),
            unknownApplication())) {
      failures.put(FIRST, failure);
      assertEquals(SECOND, new ServicePortsTest().asked(failures), failure.toString());
    }
  }

  private int asked(Map<Integer, IOException> others) throws IOException {
    failures.putAll(others);
    return ask();
  }

  @Test
  void whereItWasFoundItIsAskedFirst() throws IOException {
    failures.put(FIRST, new SocketTimeoutException("it says nothing"));
    assertEquals(SECOND, ask());
    assertEquals(SECOND, ask());
    assertEquals(List.of(SECOND), asked);
    failures.put(SECOND, new ConnectException("it has gone to another port"));
    assertEquals(THIRD, ask());
    assertEquals(List.of(SECOND, FIRST, THIRD), asked);
  }

  @Test
  void nobodyAnywhereIsWhatItIsAtTheFirst() {
    IOException first = new ConnectException("refused");
    failures.put(FIRST, first);
    failures.put(SECOND, new ConnectException("refused too"));
    failures.put(THIRD, new SocketTimeoutException("somebody says nothing"));
    assertSame(first, fail());
    assertEquals(List.of(FIRST, SECOND, THIRD), asked);
  }

  @Test
  void aServiceCountsMoreThanNobody() {
    failures.put(FIRST, new ConnectException("refused"));
    IOException unknown = unknownApplication();
    failures.put(SECOND, unknown);
    failures.put(THIRD, new ConnectException("refused"));
    assertSame(unknown, fail());
  }

  @Test
  void whatConcernsTheHostIsSoAtEveryPort() {
    IOException down = new NoRouteToHostException("down");
    failures.put(FIRST, down);
    assertSame(down, fail());
    assertEquals(List.of(FIRST), asked);
  }

  @Test
  void aServiceThatRefusesIsTheOne() {
    RemoteError refusal = new RemoteError(RemoteError.Code.INTERNAL, "something is wrong");
    failures.put(FIRST, refusal);
    assertSame(refusal, fail());
    assertEquals(List.of(FIRST), asked);
  }
}
