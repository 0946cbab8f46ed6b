package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.service.ServiceMemory.MachineMemory;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.disk.Device;
import io.sluice.spill.segment.PoolVisibility;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The one number for a node's memory: what it is shared out to, and when it cannot be. */
class ServiceMemoryTest extends NodeTestBase {
  private static final int SEGMENT_BYTES = 4 << 20;
  private static final String SETTING = "test.memory";

  private ServiceMemory within(int totalMb, int bounceMb, int diskMb) throws IOException {
    return ServiceMemory.within(
        SETTING, (long) totalMb << 20, (long) bounceMb << 20, (long) diskMb << 20, SEGMENT_BYTES);
  }

  @Test
  void theTierGetsWholeSegmentsOfWhatIsLeft() throws IOException {
    ServiceMemory memory = within(63, 16, 32);
    assertEquals(12 << 20, memory.tierBytes());
    assertEquals(60 << 20, memory.totalBytes());
    assertEquals(4 << 20, within(52, 16, 32).tierBytes());
    String message = assertThrows(IOException.class, () -> within(51, 16, 32)).getMessage();
    assertEquals(
        "test.memory is 51 MiB: with 16 MiB for bounce buffers and 32 MiB for disks that leaves no"
            + " segment of 4 MiB for the memory tier; raise it",
        message);
  }

  @Test
  void moreThanThereIsIsRefused() throws IOException {
    ServiceMemory memory = within(64, 0, 0);
    memory.check(SETTING, new MachineMemory(64 << 20, 64 << 20));
    assertRefused(memory, new MachineMemory((64 << 20) - 1, Long.MAX_VALUE), "this machine has");
    assertRefused(memory, new MachineMemory(Long.MAX_VALUE, (64 << 20) - 1), "file system");
  }

  private static void assertRefused(ServiceMemory memory, MachineMemory machine, String why) {
    String message =
        assertThrows(IOException.class, () -> memory.check(SETTING, machine)).getMessage();
    assertTrue(message.startsWith(SETTING) && message.contains(why), message);
  }

  @Test
  void theMachineIsAsked() throws IOException {
    MachineMemory machine = MachineMemory.of(Path.of("/dev/shm/sluice-of-nobody/deep"));
    assertTrue(machine.totalBytes() > 1 << 20, machine.toString());
    assertTrue(machine.tmpfsBytes() > 0, machine.toString());
    assertEquals(Long.MAX_VALUE, MachineMemory.of(Path.of("/proc")).tmpfsBytes());
  }

  @Test
  void aServiceTakesNoMoreThanItWasTold() throws IOException {
    int totalBytes = Device.MEMORY_BYTES + 2 * SEGMENT_BYTES + 4096;
    service =
        NodeService.start(
            ServiceContext.within(
                    ServiceDirectories.in(home(), PoolVisibility.ANNOUNCED), totalBytes)
                .segments(SEGMENT_BYTES)
                .overflow(List.of(directory.resolve("disk")), 0, 0)
                .transports(List.of(new TcpProvider()))
                .listen(LOOPBACK, 0));
    assertEquals(2 * SEGMENT_BYTES, service.memory().snapshot().ledger().capacityBytes());
    assertEquals(
        new ServiceMemory(2 * SEGMENT_BYTES, 0, Device.MEMORY_BYTES), service.nodeMemory());
  }

  @Test
  void aServiceSaysWhatCannotFit() {
    ServiceContext builder =
        ServiceContext.within(ServiceDirectories.in(home(), PoolVisibility.ANNOUNCED), 1L << 50)
            .segments(SEGMENT_BYTES)
            .transports(List.of(new TcpProvider()))
            .listen(LOOPBACK, 0);
    String message = assertThrows(IOException.class, () -> NodeService.start(builder)).getMessage();
    assertTrue(message.contains("more than this machine has"), message);
  }
}
