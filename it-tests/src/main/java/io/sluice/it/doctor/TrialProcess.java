package io.sluice.it.doctor;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Registers a piece of a pool in a process of its own, because UCX's Java binding may crash where
 * the kernel refuses.
 *
 * <p>Ownership: the temporary file in the place and the process are gone when {@link #of} returns.
 */
final class TrialProcess implements Trial {
  private static final String REGISTERED = "registered";
  private static final int TRIAL_BYTES = 1 << 20;
  private static final long TIMEOUT_SECONDS = 60;

  private final Optional<TransportProvider> provider;

  /** Tries with the best transport that works here and has to register. */
  TrialProcess(TransportChooser chooser) {
    this.provider = withNic(chooser);
  }

  private static Optional<TransportProvider> withNic(TransportChooser chooser) {
    return chooser.providers().stream()
        .filter(provider -> !provider.name().equals("tcp")) // registers anything
        .filter(TransportProvider::isAvailable)
        .findFirst();
  }

  @Override
  public Optional<Outcome> of(Path place) {
    if (!Files.isDirectory(place)) {
      return Optional.empty();
    }
    return provider.map(
        transport -> {
          try {
            String said = runFor(place);
            return new Outcome(
                transport.name(), said.equals(REGISTERED) ? Optional.empty() : Optional.of(said));
          } catch (IOException e) {
            return new Outcome(transport.name(), Optional.of("not tried: " + e.getMessage()));
          }
        });
  }

  /** The last line the process printed, or how it ended. */
  private static String runFor(Path place) throws IOException {
    Path file = Files.createTempFile(place, "sluice-doctor-", ".tmp");
    Path output = Files.createTempFile("sluice-doctor-", ".out");
    try {
      Process process =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-XX:-CreateCoredumpOnCrash",
                      "-XX:ErrorFile=/dev/null",
                      "-cp",
                      System.getProperty("java.class.path"),
                      TrialProcess.class.getName(),
                      file.toString()))
              .redirectOutput(output.toFile())
              .redirectError(new File("/dev/null"))
              .start();
      try {
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
          return "no answer within %d s".formatted(TIMEOUT_SECONDS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      } finally {
        process.destroyForcibly();
      }
      List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
      return process.exitValue() == 0 && !lines.isEmpty()
          ? lines.get(lines.size() - 1)
          : "the process that tried it died (exit status %d)".formatted(process.exitValue());
    } finally {
      Files.delete(file);
      Files.delete(output);
    }
  }

  /** In the process: registers a mapping of the file and says what came of it. */
  public static void main(String[] arguments) throws IOException {
    Path path = Path.of(arguments[0]);
    int lengthBytes = (int) Math.max(TRIAL_BYTES, Files.getFileStore(path).getBlockSize());
    String said;
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MappedByteBuffer mapping = OffHeap.map(file, FileChannel.MapMode.READ_WRITE, 0, lengthBytes);
      TransportProvider provider = withNic(TransportChooser.standard()).orElseThrow();
      try (ServerEndpoint endpoint = provider.listen(new InetSocketAddress(0))) {
        endpoint.register(MemoryRegion.ofMapping(mapping));
        said = REGISTERED;
      }
      OffHeap.unmap(mapping);
    } catch (TransportException e) {
      said = e.getMessage();
    } catch (IOException e) {
      said = "cannot be mapped: " + e.getMessage();
    }
    System.out.println(said.replace('\n', ' '));
  }
}
