/** Reads a cluster's configuration files and says what is wrong in them for Sluice. */
package io.sluice.tools.site;
