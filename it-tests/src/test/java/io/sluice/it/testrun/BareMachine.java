package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.Workspace;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The launcher on a machine that lacks everything, and whose programs only write down what they
 * were asked to do.
 *
 * <p>Not thread-safe. Its files lie in the directory that it is given, which is its owner's to
 * remove; its processes are ended when they have run for too long.
 */
final class BareMachine {
  private static final long DEADLINE_S = 60;
  private static final Pattern CHANGES =
      Pattern.compile("apt-get |\\binstall\\b|\\bdownload\\b|-m venv");

  /** What the launcher uses that every machine has; nothing else of this one is found. */
  private static final List<String> TOOLS =
      List.of(
          "bash",
          "cat",
          "cmp",
          "comm",
          "cp",
          "date",
          "dirname",
          "env",
          "find",
          "flock",
          "grep",
          "mkdir",
          "mv",
          "readlink",
          "rm",
          "script",
          "sed",
          "sh",
          "sleep",
          "sort",
          "tail",
          "tee",
          "timeout",
          "touch",
          "true");

  private final Path directory;
  private final Path calls;

  /**
   * What a command came to.
   *
   * @param output of both kinds, in its order
   */
  record Run(int status, String output) {}

  /** Copies the launcher into the directory, and makes its programs there. */
  BareMachine(Path directory) throws IOException {
    this.directory = directory;
    calls = Files.createFile(directory.resolve("calls"));
    Path checkout = Workspace.find().root();
    Files.copy(checkout.resolve("sluice"), directory.resolve("sluice"));
    copySetup(checkout);
    Files.copy(checkout.resolve("pom.xml"), directory.resolve("pom.xml"));
    Files.createDirectory(directory.resolve("bin"));
    for (String tool : TOOLS) {
      Optional<Path> found = onPath(tool);
      if (found.isPresent()) {
        Files.createSymbolicLink(directory.resolve("bin").resolve(tool), found.get());
      }
    }
    program("id", "echo 1000");
    program("uname", "echo x86_64");
    program("ldconfig", "exit 0");
    program("dpkg-query", "[ ! -e dpkg ] || cat dpkg");
    program("python3", "exit 1");
    program("mvn", "exit 1");
    program("apt-get", "case \" $* \" in *' install '*) echo 'ii  libucx0' >dpkg ;; esac");
    sudo("");
  }

  private void copySetup(Path checkout) throws IOException {
    try (Stream<Path> files = Files.walk(checkout.resolve("setup"))) {
      for (Path file : files.toList()) {
        Files.copy(file, directory.resolve(checkout.relativize(file).toString()));
      }
    }
  }

  /** A sudo that does this first. */
  void sudo(String first) throws IOException {
    program(
        "sudo",
        first,
        "while [ \"${1#-}\" != \"$1\" ]; do shift; done",
        "[ $# = 0 ] || exec \"$@\"");
  }

  private static Optional<Path> onPath(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(directory -> Path.of(directory, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** The demo, at a terminal where this is typed. */
  Run atATerminal(String answer) throws Exception {
    return atATerminal("./sluice demo", answer);
  }

  /** A command at a terminal where this is typed. */
  Run atATerminal(String command, String answer) throws Exception {
    Path input = Files.writeString(directory.resolve("answer"), answer + "\n");
    return atATerminal(command, Redirect.from(input.toFile()));
  }

  /** A command at a terminal. */
  Run atATerminal(String command, Redirect input) throws Exception {
    assumeTrue(onPath("script").isPresent(), "no program script, which makes a terminal");
    return run(input, "script", "-qec", command, "/dev/null");
  }

  /** A command without a terminal. */
  Run run(String command) throws Exception {
    return run(Redirect.from(new File("/dev/null")), command.split(" "));
  }

  private Run run(Redirect input, String... command) throws Exception {
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectInput(input)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("HOME", directory.toString());
    builder.environment().remove("XDG_CACHE_HOME");
    builder.environment().put("PATH", directory + "/bin");
    Process process = builder.start();
    boolean ended = process.waitFor(DEADLINE_S, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertTrue(ended, Files.readString(output));
    return new Run(process.exitValue(), Files.readString(output));
  }

  /** Makes a program that writes down its call, and runs these lines. */
  void program(String name, String... lines) throws IOException {
    Path file = directory.resolve("bin").resolve(name);
    Files.writeString(
        file,
        "#!/bin/sh\necho \"%s $*\" >>'%s'\n%s\n".formatted(name, calls, String.join("\n", lines)));
    assertTrue(file.toFile().setExecutable(true));
  }

  /** Whether a call begins so. */
  boolean wasCalled(String beginning) throws IOException {
    Pattern pattern = Pattern.compile(beginning);
    return Files.readAllLines(calls).stream().map(pattern::matcher).anyMatch(Matcher::lookingAt);
  }

  /** Calls that would change the machine. */
  List<String> changes() throws IOException {
    return Files.readAllLines(calls).stream().filter(line -> CHANGES.matcher(line).find()).toList();
  }

  /** All of them. */
  String calls() throws IOException {
    return Files.readString(calls);
  }
}
