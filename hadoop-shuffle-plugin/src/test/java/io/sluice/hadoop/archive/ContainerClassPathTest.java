package io.sluice.hadoop.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ContainerClassPathTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void isWhatTheSettingsNameWithoutWhatDiffersByContainer() throws IOException {
    conf.set("yarn.application.classpath", "$HADOOP_CONF_DIR,$HADOOP_HOME/share/*,$NOBODYS/lib/*");
    conf.set("mapreduce.application.classpath", "/opt/sluice/sluice-hadoop.jar");
    assertEquals(
        "/opt/$1/share/*:/lib/*:/opt/sluice/sluice-hadoop.jar",
        ContainerClassPath.of(conf, Map.of("HADOOP_HOME", "/opt/$1")));
  }

  @Test
  void hadoopsOwnDefaultsFit() throws IOException {
    String classPath =
        ContainerClassPath.of(conf, Map.of("HADOOP_COMMON_HOME", "/c", "HADOOP_MAPRED_HOME", "/m"));
    assertTrue(classPath.startsWith("/c/share/hadoop/common/*:"), classPath);
    assertTrue(classPath.endsWith(":/m/share/hadoop/mapreduce/lib/*"), classPath);
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
