package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.testrun.BareMachine.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher looks at arguments before it asks for packages, and before it builds. */
class ArgumentsTest {
  private static final int BAD_USAGE = 2;

  @TempDir Path directory;
  private BareMachine machine;

  @BeforeEach
  void lackEverything() throws IOException {
    machine = new BareMachine(directory);
  }

  @ParameterizedTest
  @CsvSource({
    "--help, sluice",
    "-h, sluice",
    "bench --help, sluice/bench",
    "bench spark --help, sluice/bench/spark",
    "bench --size 1g --runs=3 -h, sluice/bench",
    "--install demo local --help, sluice/demo/local",
    "doctor -h, sluice/doctor",
    "run --help, sluice/run",
    "fetch-spark --help, sluice/fetch-spark",
    "docs --help, sluice/docs",
    "test --help, sluice/test"
  })
  void helpNeedsNothing(String arguments, String text) throws Exception {
    machine.program("java", "exit 1");
    Run run = machine.run("./sluice " + arguments);

    assertEquals(0, run.status(), run.output());
    assertEquals(
        Files.readString(Workspace.find().root().resolve("setup/help/" + text + ".txt")),
        run.output());
    assertEquals("", machine.calls());
  }

  @ParameterizedTest
  @ValueSource(strings = {"--version", "-V", "bench --version"})
  void norDoesTheRelease(String arguments) throws Exception {
    String version =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(Workspace.find().root().resolve("pom.xml").toFile())
            .getElementsByTagName("version")
            .item(0)
            .getTextContent();
    assertEquals("Sluice " + version + "\n", machine.run("./sluice " + arguments).output());
    assertEquals("", machine.calls());
  }

  @Test
  void withoutACommandItSaysWhichThereAre() throws Exception {
    Run run = machine.run("./sluice");

    assertEquals(BAD_USAGE, run.status());
    assertTrue(run.output().startsWith("Usage: ./sluice COMMAND"), run.output());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense | no command nonsense",
        "../help | no command ../help",
        "sluice/bench | no command sluice/bench",
        "--nonsense | no command --nonsense",
        "matrix | ./sluice matrix needs a command",
        "matrix --install | ./sluice matrix needs a command",
        "matrix hadoop | ./sluice matrix takes no argument hadoop",
        "bench nonsense | ./sluice bench takes no argument nonsense",
        "bench ../demo local | ./sluice bench takes no argument ../demo",
        "bench spark more | ./sluice bench spark takes no argument more",
        "bench micro Sort Merge | ./sluice bench micro takes no argument Merge",
        "bench redraw | ./sluice bench redraw needs JSON...",
        "bench --nonsense | ./sluice bench has no option --nonsense",
        "bench --siz 1g | ./sluice bench has no option --siz",
        "bench --[x | ./sluice bench has no option --[x",
        "demo --siz=.* | ./sluice demo has no option --siz",
        "doctor --install | ./sluice doctor has no option --install",
        "docs --runs 3 | ./sluice docs has no option --runs",
        "demo --size | --size needs a value",
        "demo --size --keep | --size needs a value",
        "demo --keep=yes | --keep takes no value",
        "demo --size big | --size big is not a size",
        "demo --size=1t | --size 1t is not a size",
        "bench --runs 0 | --runs 0 is not a number from 1 on",
        "bench crowd --nodes 10,many | --nodes many is not a number from 1 on",
        "model --sizes 8m,,16m | --sizes  is not a size",
        "bench hone --engines CLUSTER,FAST | --engines FAST is not known",
        "bench exchange --shapes 8x2,64 | --shapes 64 is not a number of maps",
        "bench memory --fractions 0.5,half | --fractions half is not a share",
        "bench memory --files-rate fast | --files-rate fast is neither a size",
        "lab plugs --seed one | --seed one is not a number",
        "bench hone --engines Variants | --engines Variants is not known",
        "bench hone --size 1g | --size 1g is not known",
        "bench --engines with | --engines with is not known",
        "bench codecs --codecs NONE,merge | --codecs merge is not known",
        "bench memory --workload combiner | --workload combiner is not known",
        "bench rmr-sizes --workload all | --workload all is not known",
        "demo --hadoop release | --hadoop release is not known",
        "demo --hadoop 3.5 | --hadoop 3.5 is not known",
        "lab which | which is not known",
        "lab all | all is not known",
        "foreign programs | programs is not known",
        "spark-suites published | published is not known",
        "fetch-spark default | default is not known",
        "bench --encrypted --engines=Tuned | measured without --encrypted",
        "bench --engines SLUICE,STOCK_ENCRYPTED | measured with --encrypted alone",
        "bench spark --on-tmpfs --encrypted | --encrypted is on tmpfs already",
        "bench spark --encrypted --peers dir | peers are measured without --encrypted",
        "doctor --serve --probe host | --probe and --serve exclude each other",
        "doctor --spark-conf dir --pool=/a | exclude --probe, --serve and --pool",
        "lab --hosts 3 | a lab has 1 or 2 hosts",
        "lab --hosts=2 terasort Store | 2 hosts run terasort, spark, mapreduce and transport alone",
        "lab shell plugs | shell goes with no suite",
        "model --sizes 8m,16m | --sizes takes 3 sizes or more",
        "model --sizes 8m,16m --sizes 8m | --sizes has a size twice",
        "test --quick --all | --quick goes with neither",
        "test --require-lab --no-install --quick | --quick goes with neither",
        "lab tranport | tranport is not known",
        "spark-suites NoSuchSuite | NoSuchSuite is not known",
        "foreign HADOOP | HADOOP is not known",
        "demo --hadoop 9.9.9 | --hadoop 9.9.9 is not known",
        "fetch-spark 1.0 | 1.0 is not known",
        "fetch-spark 4.2.0 4.1.2 | takes no argument 4.1.2",
        "run | run needs a jar",
        "run --install | run needs a jar",
        "run no-such.jar | there is no jar no-such.jar"
      })
  void whatNoCommandTakesIsRefusedInOneLine(String arguments, String said) throws Exception {
    Run run = machine.run("./sluice " + arguments);

    assertEquals(BAD_USAGE, run.status(), run.output());
    assertTrue(run.output().contains(said), run.output());
    assertEquals(1, run.output().lines().count(), run.output());
    assertEquals(List.of(), machine.changes());
    assertFalse(machine.wasCalled("mvn "), machine.calls());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bench local --size 64m --runs=2",
        "bench local --size 64MB",
        "bench chain --size 1000",
        "bench micro Sort",
        "bench redraw a.json b.json",
        "bench exchange --shapes 8x2,64x8",
        "bench codecs --maps 10,20 --records 5k",
        "doctor",
        "doctor --serve --json",
        "doctor --serve 0",
        "doctor --pool /a --pool=/b",
        "test --all --require-lab --no-install",
        "lab --no-install transport Faults",
        "lab --hosts 2 terasort --no-install",
        "lab --hosts 1 store --no-install",
        "lab Shell --no-install",
        "foreign --no-install hive SPARK_GRAPHX",
        "spark-suites --no-install SortingSuite",
        "spark-suites --no-install sortingsuite",
        "matrix spark --no-install",
        "model --measured=a.json --runs 3",
        "model --no-install --sizes 1m,11m,111m",
        "model --no-install --sizes 1000,500,100",
        "doctor --hadoop-conf a --spark-conf=b --json",
        "demo --no-install --hadoop 3.3.6",
        "bench --no-install --engines STOCK",
        "bench --no-install --encrypted --engines stock_encrypted,SLUICE",
        "bench --no-install --encrypted spark --on-tmpfs",
        "bench --no-install hone --engines STOCK,spark --size large --workload LDA",
        "bench --no-install memory --workload sort,WC",
        "bench --no-install memory --fractions 1.0,.5,1,2e-1 --device-rate=none --files-rate 16m",
        "lab --no-install plugs --seed=-7 --kills 3",
        "run program.jar --help --size",
        "--no-install bench --engines tuned,SLUICE"
      })
  void whatACommandTakesIsBuiltFor(String arguments) throws Exception {
    Files.createFile(directory.resolve("program.jar"));
    Run run = machine.run("./sluice " + arguments);

    assertTrue(machine.wasCalled("mvn "), run.output());
  }
}
