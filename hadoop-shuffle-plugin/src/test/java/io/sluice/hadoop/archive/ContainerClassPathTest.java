package io.sluice.hadoop.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.archive.TaskArchive.ContainerClassPath;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ContainerClassPathTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void isWhatTheSettingsNameWithVariablesThatContainersHave() throws IOException {
    conf.set(
        "yarn.application.classpath",
        "$HADOOP_CONF_DIR,$HADOOP_COMMON_HOME/share/*,$NOBODYS/lib/*");
    conf.set(
        "mapreduce.application.classpath", "$HADOOP_MAPRED_HOME/*,/opt/sluice/sluice-hadoop.jar");
    conf.set("yarn.app.mapreduce.am.env", "HADOOP_MAPRED_HOME=/opt/mr");
    assertEquals(
        List.of("/opt/$1/share/*", "/lib/*", "/opt/mr/*", "/opt/sluice/sluice-hadoop.jar"),
        ContainerClassPath.of(
            conf,
            Map.of(
                "HADOOP_COMMON_HOME",
                "/opt/$1",
                "NOBODYS",
                "/not/passed/on",
                "HADOOP_MAPRED_HOME",
                "/x")));
  }

  @Test
  void hadoopsOwnDefaultsFit() throws IOException {
    conf.set("yarn.app.mapreduce.am.env", "HADOOP_MAPRED_HOME=/m");
    List<String> classPath = ContainerClassPath.of(conf, Map.of("HADOOP_COMMON_HOME", "/c"));
    assertEquals("/c/share/hadoop/common/*", classPath.get(0));
    assertEquals("/m/share/hadoop/mapreduce/lib/*", classPath.get(classPath.size() - 1));
  }

  @Test
  void whereTheConfigurationIsNotInFrontNoneFits() {
    conf.set("yarn.application.classpath", "/etc/hadoop,/opt/hadoop/*");
    IOException e = assertThrows(IOException.class, () -> ContainerClassPath.of(conf, Map.of()));
    assertTrue(e.getMessage().contains("$PWD:/etc/hadoop"), e.getMessage());
  }

  @Test
  void noneFitsWhereAllJobsHaveTheirClassesFirst() {
    conf.setBoolean("mapreduce.job.user.classpath.first", true);
    assertThrows(IOException.class, () -> ContainerClassPath.of(conf, Map.of()));
  }
}
