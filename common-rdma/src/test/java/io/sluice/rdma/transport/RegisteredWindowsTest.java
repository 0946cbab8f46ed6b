package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.faulty.FaultPlan;
import io.sluice.rdma.transport.faulty.FaultyProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class RegisteredWindowsTest {
  private static final int WINDOW = 64 << 10;

  private final LeakCheck leaks = new LeakCheck();
  private final TransportProvider provider = new TcpProvider();

  @AfterEach
  void checkForLeaks() throws Exception {
    leaks.check();
  }

  @Test
  void handsOutAsManyWindowsAsItMayAndNoMore() throws Exception {
    try (ClientEndpoint client = provider.openClient();
        RegisteredWindows pool = new RegisteredWindows(client, WINDOW, 3)) {
      List<RegisteredBuffer> out = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        RegisteredBuffer window = pool.acquire(1);
        assertEquals(WINDOW, window.lengthBytes());
        window.buffer().put(0, (byte) (i + 1)).put(WINDOW - 1, (byte) (i + 1));
        out.add(window);
      }
      assertTrue(pool.tryAcquire(0).isEmpty());
      TimeoutException e = assertThrows(TimeoutException.class, () -> pool.acquire(5));
      assertTrue(e.getMessage().contains("all 3 are in use"), e.getMessage());
      for (int i = 0; i < 3; i++) { // windows do not overlap
        assertEquals(i + 1, out.get(i).buffer().get(0));
        assertEquals(i + 1, out.get(i).buffer().get(WINDOW - 1));
      }
      assertEquals(new RegisteredWindows.Usage(3, 3, 3, 3L * WINDOW), pool.usage());
      out.forEach(RegisteredBuffer::close);
      out.forEach(RegisteredBuffer::close); // twice does nothing
      assertEquals(0, pool.usage().inUse());
    }
  }

  /** Memory that a NIC may still write to must not be freed, and that alone. */
  @Test
  void aSlabThatIsNotDeregisteredKeepsNoOther() throws Exception {
    List<ByteBuffer> registered = new ArrayList<>();
    List<ByteBuffer> released = new ArrayList<>();
    try (ClientEndpoint client = provider.openClient()) {
      RegisteredWindows pool =
          new RegisteredWindows(
              unwilling(client, registered, released), RegisteredWindows.SLAB_BYTES, 2);
      List<RegisteredBuffer> out = new ArrayList<>();
      while (registered.size() < 2) {
        out.add(pool.acquire(1));
      }
      out.forEach(RegisteredBuffer::close);
      assertThrows(IllegalStateException.class, pool::close);
      pool.close();
      assertEquals(2, released.size());
      OffHeap.free(registered.get(1));
    }
  }

  /** An endpoint at which the second buffer cannot be deregistered. */
  private static ClientEndpoint unwilling(
      ClientEndpoint below, List<ByteBuffer> registered, List<ByteBuffer> released) {
    return (ClientEndpoint)
        Proxy.newProxyInstance(
            ClientEndpoint.class.getClassLoader(),
            new Class<?>[] {ClientEndpoint.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("register")) {
                return method.invoke(below, arguments);
              }
              ByteBuffer direct = (ByteBuffer) arguments[0];
              registered.add(direct);
              boolean isUnwilling = registered.size() == 2;
              return new RegisteredBuffer(direct) {
                @Override
                protected void release() {
                  released.add(direct);
                  if (isUnwilling) {
                    throw new IllegalStateException("expected by this test");
                  }
                }
              };
            });
  }

  /** Run in a JVM that has direct memory for some windows, and not for a slab. */
  public static final class Little {
    private Little() {}

    public static void main(String[] arguments) throws Exception {
      try (ClientEndpoint client = new TcpProvider().openClient()) {
        takesWhatThereIs(client);
        try (RegisteredWindows pool = new RegisteredWindows(client, 8 << 20, 2)) {
          RegistrationException e =
              assertThrows(RegistrationException.class, () -> pool.acquire(120_000));
          assertTrue(e.getMessage().contains("-XX:MaxDirectMemorySize"), e.getMessage());
        }
      }
      System.out.println("done");
    }

    private static void takesWhatThereIs(ClientEndpoint client) throws Exception {
      List<RegisteredBuffer> out = new ArrayList<>();
      try (RegisteredWindows pool = new RegisteredWindows(client, 1 << 20, 16)) {
        try {
          for (Optional<RegisteredBuffer> next = pool.tryAcquire(0);
              next.isPresent();
              next = pool.tryAcquire(0)) {
            out.add(next.get());
          }
          int most = pool.usage().maxWindows();
          assertEquals(most, out.size());
          assertTrue(most == 6 || most == 7, most + " windows");
          TimeoutException e = assertThrows(TimeoutException.class, () -> pool.acquire(1));
          assertTrue(e.getMessage().contains("-XX:MaxDirectMemorySize"), e.getMessage());
          out.remove(0).close();
          out.add(pool.acquire(120_000));
        } finally {
          out.forEach(RegisteredBuffer::close);
        }
      }
    }
  }

  @Test
  void aPoolIsAsLargeAsDirectMemoryAllows(@TempDir Path directory) throws Exception {
    Path log = directory.resolve("log");
    Process little =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:MaxDirectMemorySize=7m",
                "-cp",
                System.getProperty("java.class.path"),
                Little.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(little.waitFor(120, TimeUnit.SECONDS));
      String said = Files.readString(log);
      assertTrue(said.contains("done"), said);
    } finally {
      little.destroyForcibly();
    }
  }

  @Test
  void registersSlabsNotWindowsAndOnlyWhatIsNeeded() throws Exception {
    int perSlab = RegisteredWindows.SLAB_BYTES / WINDOW;
    try (ClientEndpoint client = provider.openClient();
        RegisteredWindows pool = new RegisteredWindows(client, WINDOW, perSlab + 1)) {
      assertEquals(0, client.counters().registrations());
      List<RegisteredBuffer> out = new ArrayList<>();
      for (int i = 0; i < perSlab; i++) {
        out.add(pool.acquire(1));
      }
      assertEquals(1, client.counters().registrations());
      out.add(pool.acquire(1));
      assertEquals(2, client.counters().registrations());
      assertSame(out.get(0).registration(), out.get(1).registration());
      assertNotSame(out.get(0).registration(), out.get(perSlab).registration());
      out.forEach(RegisteredBuffer::close);
    }
  }

  @Test
  void aWaiterGetsTheWindowThatComesBack() throws Exception {
    try (ClientEndpoint client = provider.openClient();
        RegisteredWindows pool = new RegisteredWindows(client, WINDOW, 1)) {
      RegisteredBuffer first = pool.acquire(1);
      CompletableFuture<RegisteredBuffer> waiter =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return pool.acquire(20_000);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      assertFalse(waiter.isDone());
      first.close();
      RegisteredBuffer second = waiter.get(120, TimeUnit.SECONDS);
      assertNotSame(first, second);
      second.close();
    }
  }

  @Test
  void closingWithWindowsOutSaysHowManyAndKeepsTheMemory() throws Exception {
    try (ClientEndpoint client = provider.openClient();
        RegisteredWindows pool = new RegisteredWindows(client, WINDOW, 4)) {
      Executable close = pool::close;
      RegisteredBuffer window = pool.acquire(1);
      IllegalStateException e = assertThrows(IllegalStateException.class, close);
      assertTrue(e.getMessage().contains("1 of 4 windows"), e.getMessage());
      window.buffer().put(0, (byte) 1);
      window.close();
      assertDoesNotThrow(close);
      assertThrows(IllegalStateException.class, () -> pool.acquire(1));
    }
  }

  @Test
  void aFailedRegistrationLeavesThePoolUsable() throws Exception {
    FaultPlan plan = FaultPlan.seeded(1).withFailedRegistration(1);
    try (ClientEndpoint client = new FaultyProvider(provider, plan).openClient();
        RegisteredWindows pool = new RegisteredWindows(client, WINDOW, 4)) {
      assertThrows(RegistrationException.class, () -> pool.acquire(1));
      pool.acquire(1).close();
    }
  }

  @Test
  void readsLandInTheWindowAndAReleasedOneTakesNoMore(@TempDir Path dir) throws Exception {
    try (RegionFixture fixture = new RegionFixture(dir, WINDOW, 5);
        ServerEndpoint server =
            provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        ClientEndpoint client = provider.openClient();
        RegisteredWindows pool = new RegisteredWindows(client, WINDOW, 2);
        RegisteredBuffer other = pool.acquire(1);
        Connection connection = client.connect(server.address(), 120_000)) {
      RegionDescriptor descriptor = server.register(fixture.region());
      RegisteredBuffer window = pool.acquire(1);
      connection.read(descriptor, 0, window, 0, WINDOW, 120_000).get(120, TimeUnit.SECONDS);
      assertEquals(-1, fixture.mismatch(0, window.buffer()));
      assertEquals(-1, other.buffer().mismatch(ByteBuffer.allocate(WINDOW)));
      window.close();
      assertThrows(
          IllegalStateException.class,
          () -> connection.read(descriptor, 0, window, 0, WINDOW, 120_000));
    }
  }
}
