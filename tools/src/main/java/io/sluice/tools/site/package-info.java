/** Checks a cluster's configuration files for Sluice. */
package io.sluice.tools.site;
