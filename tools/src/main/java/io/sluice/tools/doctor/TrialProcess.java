package io.sluice.tools.doctor;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.tools.doctor.Doctor.Trial;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Runs each trial in a process of its own, because native code may crash or loop when the kernel
 * refuses memory.
 *
 * <p>Thread contract: safe from any thread. Ownership: a method that returns has deleted its
 * temporary file and ended its process. Failure: {@link IOException} if the process cannot be
 * started; a process that does not answer within a minute is a refusal.
 */
final class TrialProcess implements Trial {
  private static final String REGISTERED = "registered";
  private static final int TRIAL_BYTES = 1 << 20;
  private static final long TIMEOUT_SECONDS = 60;

  private final Optional<String> nicTransport;

  /** Tries candidates with this transport; tries none if it is empty. */
  TrialProcess(Optional<String> nicTransport) {
    this.nicTransport = nicTransport;
  }

  /** Tries candidates with the best transport that works here and registers with a NIC. */
  static TrialProcess with(TransportChooser chooser) {
    return new TrialProcess(
        chooser.providers().stream()
            .filter(
                provider -> !provider.name().equals(TransportNames.TCP)) // it registers any memory
            .filter(TransportProvider::isAvailable)
            .map(TransportProvider::name)
            .findFirst());
  }

  @Override
  public Optional<String> failureOf(String transport) throws IOException {
    return run(List.of(transport));
  }

  @Override
  public Optional<Outcome> of(Path candidate) throws IOException {
    if (nicTransport.isEmpty() || !Files.isDirectory(candidate)) {
      return Optional.empty();
    }
    String transport = nicTransport.get();
    return Optional.of(new Outcome(transport, refusal(transport, candidate)));
  }

  private static Optional<String> refusal(String transport, Path candidate) throws IOException {
    Path file = Files.createTempFile(candidate, "sluice-doctor-", ".tmp");
    try {
      return run(List.of(transport, file.toString()));
    } finally {
      Files.delete(file);
    }
  }

  /**
   * The command of the process. It passes on this JVM's {@code --add-exports} and {@code
   * --add-opens}, so that the same providers are available there.
   *
   * @param jvmArguments the arguments of this JVM
   */
  static List<String> command(List<String> jvmArguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"));
    jvmArguments.stream()
        .filter(
            argument -> argument.startsWith("--add-exports") || argument.startsWith("--add-opens"))
        .forEach(command::add);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), TrialProcess.class.getName()));
    return command;
  }

  /**
   * Runs a trial. Empty if the process registered the memory; else the last line that it printed,
   * or its exit status. The output fits into a pipe, so no file is needed: a container's root may
   * be read-only.
   */
  private static Optional<String> run(List<String> arguments) throws IOException {
    List<String> command = command(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    LibraryLogs.toStandardError(builder);
    Process process = builder.start();
    try (BufferedReader output = process.inputReader()) {
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        return Optional.of("no answer within %s s".formatted(TIMEOUT_SECONDS));
      }
      String said = output.lines().reduce("", (before, line) -> line);
      if (process.exitValue() != 0 || said.isEmpty()) {
        said = "the trial process died (exit status %s)".formatted(process.exitValue());
      }
      return Optional.of(said).filter(text -> !text.equals(REGISTERED));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * The main method of the process: registers memory, or a mapping of a file, and prints the
   * outcome.
   *
   * @param arguments a transport's name and, to map a file, its path
   */
  public static void main(String[] arguments) throws IOException {
    TransportProvider provider =
        TransportChooser.standard().providers().stream()
            .filter(known -> known.name().equals(arguments[0]))
            .findFirst()
            .orElseThrow();
    String said;
    try (ServerEndpoint endpoint = provider.listen(new InetSocketAddress(0))) {
      endpoint.register(
          MemoryRegion.ofMapping(
              arguments.length == 1
                  ? ByteBuffer.allocateDirect(TRIAL_BYTES)
                  : map(Path.of(arguments[1]))));
      said = REGISTERED;
    } catch (TransportException e) {
      said = e.getMessage();
    } catch (IOException e) {
      said = "cannot be mapped: " + ErrorText.of(e);
    }
    System.out.println(said.replace('\n', ' '));
    System.exit(0); // libraries may have left threads
  }

  /** Maps at least one page, which is large on hugetlbfs; the end of the process unmaps it. */
  private static ByteBuffer map(Path path) throws IOException {
    long lengthBytes = Math.max(TRIAL_BYTES, Files.getFileStore(path).getBlockSize());
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return file.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes);
    }
  }
}
