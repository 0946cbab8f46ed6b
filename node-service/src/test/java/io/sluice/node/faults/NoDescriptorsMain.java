package io.sluice.node.faults;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.service.NodeService;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.TestService;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A service that holds an output on disk, and is asked for it when it may open no further file. */
final class NoDescriptorsMain {
  private static final String APP = "application_1_0001";
  private static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));
  private static final long TIMEOUT_MS = 120_000;

  private final NodeService service;

  private NoDescriptorsMain(NodeService service) {
    this.service = service;
  }

  /** Takes a directory. Says what readers are told: before, meanwhile and afterwards. */
  public static void main(String[] args) throws Exception {
    try (NodeService service =
        NodeService.start(
            TestService.withDisk(Path.of(args[0]), 1)
                .transports(List.of(new TcpProvider()))
                .listen(InetAddress.getLoopbackAddress(), 0))) {
      try (SocketClient task =
          SocketClient.connect(service.metadata().address().socket(), APP, SECRET, TIMEOUT_MS)) {
        for (String id : List.of("attempt_0", "attempt_1")) { // the second one lies on disk
          TestOutput.single(new Random(1), id, TestPool.SEGMENT_BYTES).commit(APP, task);
        }
      }
      NoDescriptorsMain readers = new NoDescriptorsMain(service);
      loadClasses();
      List<String> told = new ArrayList<>();
      told.add("before " + readers.told());
      List<FileInputStream> taken = new ArrayList<>();
      told.add("meanwhile " + readers.toldWithoutFree(taken));
      Closer.all(taken);
      told.add("afterwards " + readers.told());
      told.forEach(System.out::println);
    }
  }

  /** Each is a file here, unlike those of a jar, which is open already. */
  private static void loadClasses() throws Exception {
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path root = Path.of(entry);
      if (Files.isDirectory(root)) {
        try (Stream<Path> files = Files.walk(root)) {
          for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
            load(root.relativize(file).toString());
          }
        }
      }
    }
  }

  private static void load(String file) throws ClassNotFoundException {
    String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
    try {
      Class.forName(name, false, NoDescriptorsMain.class.getClassLoader());
    } catch (NoClassDefFoundError e) {
      // It needs a library that is not there: nobody can use it.
    }
  }

  private String told() throws IOException {
    try {
      boolean held =
          service
              .readers()
              .describe(APP, PartitionRange.one(0), List.of("attempt_1"), 0)
              .runs()
              .containsKey("attempt_1");
      return held ? "held" : "lost";
    } catch (RemoteError e) {
      return e.code().name();
    }
  }

  /**
   * Other threads give descriptors back at any time: the service's when a connection has ended, the
   * JVM's own when they have looked at a file. An output that is held was opened by such a one;
   * takes it, and asks once more.
   */
  private String toldWithoutFree(List<FileInputStream> taken) throws IOException {
    String told;
    int before;
    do {
      before = taken.size();
      takeAll(taken);
      told = told();
    } while (told.equals("held") && taken.size() > before);
    return told;
  }

  private static void takeAll(List<FileInputStream> taken) {
    try {
      while (true) {
        taken.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException e) {
      // EMFILE: all are taken
    }
  }
}
