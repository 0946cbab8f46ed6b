package io.sluice.rdma.transport.verbs;
import io.sluice.rdma.transport.*;
import java.net.*; import java.nio.ByteBuffer; import java.nio.file.*; import java.util.*; import java.util.concurrent.*;
public class Bench {
  public static void main(String[] a) throws Exception {
    Path dir = Files.createTempDirectory("vb"); FakeVerbs f = new FakeVerbs(dir); f.close();
    try (var all = Files.walk(f.sysClass().resolve("infiniband/fake1"))) { for (Path p : all.sorted(Comparator.reverseOrder()).toList()) Files.delete(p); }
    VerbsProvider p = new VerbsProvider(new LibVerbs(), f.sysClass(), new VerbsAvailability(f.sysClass(), f.devices(), f.limit()));
    System.out.println(p.unavailabilityCause());
    ServerEndpoint s = p.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ByteBuffer m = ByteBuffer.allocateDirect(4 << 20);
    RegionDescriptor d = s.register(MemoryRegion.ofMapping(m));
    ClientEndpoint c = p.openClient(); RegisteredBuffer l = c.register(ByteBuffer.allocateDirect(4 << 20));
    Connection k = c.connect(s.address(), 60000);
    for (int round = 0; round < 4; round++) {
      for (int depth : new int[] {1, 32}) {
        int n = 40000; Deque<CompletableFuture<Void>> q = new ArrayDeque<>();
        long t = System.nanoTime(); long cpu = ((com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        for (int i = 0; i < n; i++) { q.add(k.read(d, 0, l, 0, 512, 60000)); if (q.size() == depth) q.remove().get(); }
        for (var r : q) r.get();
        System.out.println(depth + ": " + (System.nanoTime() - t) / n + " ns/read, cpu " + (((com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() - cpu) / n + " ns/read");
      }
    }
    long t = System.nanoTime(); for (int i = 0; i < 300; i++) c.connect(s.address(), 60000).close(); System.out.println("connect+close " + (System.nanoTime() - t) / 300_000 + " us");
    System.exit(0);
  }
}
