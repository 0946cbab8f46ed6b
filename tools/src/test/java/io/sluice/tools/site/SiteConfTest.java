package io.sluice.tools.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.Finding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SiteConfTest {
  @TempDir private Path directory;

  private static void assertContains(String part, String text) {
    assertTrue(text.contains(part), text);
  }

  private SiteConf read() {
    return SiteConf.ofHadoop(directory, name -> null);
  }

  /** It is there, and may be right: that is not said to be malformed. */
  @ParameterizedTest
  @ValueSource(strings = {"yarn-site.xml", "spark-defaults.conf"})
  void aFileThatCannotBeReadIsCalledThat(String name) throws IOException {
    Files.createDirectory(directory.resolve(name));
    List<Finding> findings =
        name.startsWith("spark") ? SiteConf.ofSpark(directory).findings() : read().findings();
    assertContains("cannot be read", Conf.complaints(findings));
    assertContains("Is a directory", Conf.complaints(findings));
  }

  /** Which Spark reads all the same. */
  @Test
  void sparksFileMayBeOfAnotherEncoding() throws IOException {
    Files.write(
        directory.resolve("spark-defaults.conf"),
        "# f\u00fcr alle\na b\n".getBytes(StandardCharsets.ISO_8859_1));
    SiteConf conf = SiteConf.ofSpark(directory);
    assertEquals("b", conf.get("a", ""));
    assertEquals(List.of(), conf.findings());
  }

  @Test
  void bytesOfNoEncodingAreNoConfigurationFile() throws IOException {
    Files.write(directory.resolve("yarn-site.xml"), new byte[] {'<', 'a', '>', (byte) 0xff});
    assertContains("is no valid configuration file", Conf.complaints(read().findings()));
  }

  @Test
  void theLaterFileCounts() {
    SiteConf conf = new Conf(directory).yarn("a", "1").mapred("a", "2").read();
    assertEquals("2", conf.get("a", ""));
    assertEquals(directory.resolve("mapred-site.xml") + ", a", conf.get("a").orElseThrow().where());
  }

  @Test
  void whatIsFinalStaysAndTheOtherIsNamed() {
    SiteConf conf = new Conf(directory).finalInYarn("a", "1").mapred("a", "2").read();
    assertEquals("1", conf.get("a", ""));
    assertContains("which has no effect", Conf.complaints(conf.findings()));
  }

  @Test
  void variablesAreOfOtherPropertiesOfJavaAndOfTheEnvironment() {
    SiteConf conf =
        new Conf(directory)
            .yarn("a", "${b}/x")
            .yarn("b", "${env.HOME_OF_IT}")
            .yarn("c", "${user.dir}")
            .read();
    assertEquals("/opt/it/x", conf.get("a", ""));
    assertEquals(System.getProperty("user.dir"), conf.get("c", ""));
    assertEquals("", Conf.complaints(conf.findings()));
  }

  @Test
  void aVariableThatNobodyKnowsIsSaid() {
    SiteConf conf = new Conf(directory).yarn("sluice.pool.dir", "${env.NO_SUCH}/pool").read();
    assertContains("could not be resolved", Conf.complaints(conf.findings()));
  }

  @Test
  void variablesThatNameEachOtherComeToAnEnd() {
    SiteConf conf = new Conf(directory).yarn("a", "${b}").yarn("b", "x${a}").read();
    assertContains("x", conf.get("a", ""));
  }

  @Test
  void anIncludeIsNotFollowedButSaid() {
    SiteConf conf =
        new Conf(directory)
            .yarnText(
                "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"more.xml\"/>")
            .yarn("a", "1")
            .read();
    assertEquals("1", conf.get("a", ""));
    assertContains("includes more.xml, which was not read", Conf.complaints(conf.findings()));
  }

  @Test
  void nameAndValueMayBeAttributes() {
    SiteConf conf = new Conf(directory).yarnText("<property name=\"a\" value=\" 1 \"/>").read();
    assertEquals("1", conf.get("a", ""));
  }

  @Test
  void aFileThatIsNoXmlIsNamedWithItsLine() {
    SiteConf conf = new Conf(directory).yarnText("<property>").read();
    String said = Conf.complaints(conf.findings());
    assertContains(directory.resolve("yarn-site.xml").toString(), said);
    assertContains("line 1", said);
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    String said =
        Conf.complaints(SiteConf.ofHadoop(directory.resolve("no"), name -> null).findings());
    assertContains("yarn-site.xml: does not exist", said);
    assertContains("mapred-site.xml: does not exist", said);
  }

  @Test
  void sparksDefaultsAreReadAsSparkReadsThem() throws IOException {
    Files.writeString(
        directory.resolve("spark-defaults.conf"),
        "# comment\nspark.master   yarn\nspark.shuffle.manager=" + SparkChecks.MANAGER + "  \n");
    SiteConf conf = SiteConf.ofSpark(directory);
    assertEquals("yarn", conf.get("spark.master", ""));
    assertEquals(SparkChecks.MANAGER, conf.get("spark.shuffle.manager", ""));
  }
}
