package io.sluice.spark.conf;

import io.sluice.node.conf.SettingsTemplate;
import io.sluice.spark.SluiceShuffleManager;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The template for spark-defaults.conf has every setting, with the default that the code has. */
class SparkTemplateTest {
  @Test
  void committedTemplateIsWhatTheCodeSays() throws IOException {
    new SettingsTemplate(
            Path.of("..", "dist", "conf", "spark-defaults.conf.template"),
            "spark-shuffle-manager",
            "SparkTemplateTest",
            "Settings of Sluice for Spark: add the lines that you need to conf/spark-defaults.conf."
                + " A line behind a # changes nothing: it has the default.")
        .with(
            "Spark's shuffle goes through Sluice.",
            "spark.shuffle.manager " + SluiceShuffleManager.class.getName())
        .with(
            "Write its release here. On Spark 3.5 set spark.driver.extraClassPath and"
                + " spark.executor.extraClassPath instead.",
            "spark.jars /opt/sluice/sluice-spark-<version>.jar")
        .withDefaults(SparkSettings.all())
        .withDefaults(SparkSettings.VERBS.all())
        .check();
  }
}
