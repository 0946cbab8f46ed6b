/** Settings. */
package io.sluice.local.conf;
