# `twinql serve`, run by nobody in particular. docs/server.md says how.
FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo install --locked --path crates/twinql-cli --no-default-features --features serve --root /out

FROM debian:bookworm-slim
COPY --from=build /out/bin/twinql /usr/local/bin/
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/twinql/
USER 65532:65532
EXPOSE 8417
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8417 && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["twinql"]
CMD ["serve", "--host", "0.0.0.0"]
