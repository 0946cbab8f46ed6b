/**
 * The command line that needs no engine and no checkout: what looks at a host, and a node's
 * service.
 */
package io.sluice.tools;
